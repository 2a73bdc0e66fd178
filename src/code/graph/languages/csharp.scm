; Definitions
(class_declaration name: (identifier) @name) @def.class
(struct_declaration name: (identifier) @name) @def.struct
(record_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(enum_member_declaration name: (identifier) @name) @def.variant
(delegate_declaration name: (identifier) @name) @def.type
(method_declaration returns: (_) @type name: (identifier) @name) @def.method
(local_function_statement type: (_) @type name: (identifier) @name) @def.function
(constructor_declaration name: (identifier) @name) @def.constructor
(property_declaration type: (_) @type name: (identifier) @name) @def.property
(field_declaration
  (variable_declaration type: (_) @type (variable_declarator name: (identifier) @name))) @def.field
(event_field_declaration
  (variable_declaration type: (_) @type (variable_declarator name: (identifier) @name))) @def.field

(base_list (_) @base)
(attribute) @decorator
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(using_directive) @import

; Scopes and what is bound in them
(block) @scope
(lambda_expression) @scope
(anonymous_method_expression) @scope
(for_statement) @scope
(foreach_statement) @scope
(using_statement) @scope
(catch_clause) @scope
(variable_declaration type: (_) @type (variable_declarator name: (identifier) @bind))
(variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @bind (_) @value))
(parameter type: (_)? @type name: (identifier) @bind)
(lambda_expression parameters: (implicit_parameter) @bind)
(foreach_statement type: (_) @type left: (identifier) @bind)
(declaration_expression type: (_) @type name: (identifier) @bind)
(declaration_pattern type: (_) @type name: (identifier) @bind)
(catch_declaration type: (_) @type name: (identifier) @bind)
(type_parameter name: (identifier) @bind)
(argument name: (identifier) @ignore)

; Calls
(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name (identifier) @call))
(invocation_expression
  function: (member_access_expression expression: (_) @receiver name: (identifier) @call))
(invocation_expression
  function: (member_access_expression expression: (_) @receiver name: (generic_name (identifier) @call)))
(invocation_expression
  function: (conditional_access_expression
    condition: (_) @receiver (member_binding_expression name: (identifier) @call)))
(object_creation_expression type: (identifier) @call.new)
(object_creation_expression type: (generic_name (identifier) @call.new))
(object_creation_expression type: (qualified_name qualifier: (_) @receiver name: (identifier) @call.new))

; Other references
(member_access_expression expression: (_) @receiver name: (identifier) @use.member)
(qualified_name qualifier: (_) @receiver name: (identifier) @use.type)
(identifier) @use
