; Definitions
(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(annotation_type_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(enum_constant name: (identifier) @name) @def.variant
(method_declaration type: (_) @type name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name) @def.constructor
(compact_constructor_declaration name: (identifier) @name) @def.constructor
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @name)) @def.field
(constant_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @name)) @def.constant

(superclass (_) @base)
(super_interfaces (type_list (_) @base))
(extends_interfaces (type_list (_) @base))
(marker_annotation) @decorator
(annotation) @decorator
(package_declaration (_) @package)
(import_declaration) @import

; Scopes and what is bound in them
(block) @scope
(lambda_expression) @scope
(for_statement) @scope
(enhanced_for_statement) @scope
(catch_clause) @scope
(try_with_resources_statement) @scope
(local_variable_declaration
  type: (_) @type declarator: (variable_declarator name: (identifier) @bind value: (_)? @value))
(formal_parameter type: (_) @type name: (identifier) @bind)
(spread_parameter (variable_declarator name: (identifier) @bind))
(enhanced_for_statement type: (_) @type name: (identifier) @bind)
(resource type: (_) @type name: (identifier) @bind)
(catch_formal_parameter name: (identifier) @bind)
(instanceof_expression right: (_) @type name: (identifier) @bind)
(inferred_parameters (identifier) @bind)
(lambda_expression parameters: (identifier) @bind)
(type_parameter (type_identifier) @bind)

; Calls
(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) @receiver name: (identifier) @call)
(object_creation_expression type: (type_identifier) @call.new)
(object_creation_expression type: (generic_type . (type_identifier) @call.new))
(object_creation_expression type: (scoped_type_identifier (_) @receiver (type_identifier) @call.new .))
(method_reference . (_) @receiver (identifier) @use.member .)
(explicit_constructor_invocation constructor: (super) @call.super)

; Other references
(field_access object: (_) @receiver field: (identifier) @use.member)
(scoped_type_identifier (_) @receiver (type_identifier) @use.type .)
(type_identifier) @use.type
(identifier) @use
