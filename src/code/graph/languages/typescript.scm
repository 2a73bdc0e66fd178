; What TypeScript has beyond what it shares with JavaScript.
(function_declaration name: (identifier) @name return_type: (_) @type) @def.function
(function_signature name: (identifier) @name return_type: (_)? @type) @def.signature
(method_definition name: (property_identifier) @name return_type: (_) @type) @def.method
(method_signature name: (property_identifier) @name return_type: (_)? @type) @def.method
(abstract_method_signature name: (property_identifier) @name return_type: (_)? @type) @def.method
(variable_declarator
  name: (identifier) @name
  value: (arrow_function return_type: (_) @type)) @def.function
(abstract_class_declaration name: (type_identifier) @name) @def.class
(interface_declaration name: (type_identifier) @name) @def.interface
(type_alias_declaration name: (type_identifier) @name value: (_) @type) @def.type
(enum_declaration name: (identifier) @name) @def.enum
(enum_body name: (property_identifier) @name @def.variant)
(enum_assignment name: (property_identifier) @name) @def.variant
(internal_module name: (identifier) @name) @def.module
(module name: (identifier) @name) @def.module
(public_field_definition
  name: (property_identifier) @name
  value: [(arrow_function) (function_expression)]) @def.method
(public_field_definition name: (property_identifier) @name type: (_)? @type value: (_)? @value) @def.field
(property_signature name: (property_identifier) @name type: (_)? @type) @def.field
(required_parameter (accessibility_modifier) pattern: (identifier) @name type: (_)? @type) @def.field
(required_parameter (override_modifier) pattern: (identifier) @name type: (_)? @type) @def.field
(program
  (lexical_declaration
    (variable_declarator name: (identifier) @name type: (_) @type) @def.variable))
(export_statement
  (lexical_declaration
    (variable_declarator name: (identifier) @name type: (_) @type) @def.variable))

(extends_clause value: (_) @base)
(implements_clause (_) @base)
(extends_type_clause type: (_) @base)
(import_alias) @import

(required_parameter pattern: (identifier) @bind type: (_)? @type)
(optional_parameter pattern: (identifier) @bind type: (_)? @type)
(variable_declarator name: (identifier) @bind type: (_) @type)
(type_parameter name: (type_identifier) @bind constraint: (constraint (_) @type)?)

(new_expression constructor: (identifier) @call.new)
(nested_type_identifier module: (_) @receiver name: (type_identifier) @use.type)
(type_identifier) @use.type
