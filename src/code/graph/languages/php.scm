; Definitions
(function_definition name: (name) @name return_type: (_)? @type) @def.function
(method_declaration name: (name) @name return_type: (_)? @type) @def.method
(class_declaration name: (name) @name) @def.class
(interface_declaration name: (name) @name) @def.interface
(trait_declaration name: (name) @name) @def.trait
(enum_declaration name: (name) @name) @def.enum
(enum_case name: (name) @name) @def.variant
(const_declaration (const_element . (name) @name)) @def.constant
(property_declaration type: (_)? @type (property_element name: (variable_name (name) @name))) @def.field
(property_promotion_parameter type: (_)? @type name: (variable_name (name) @name)) @def.field

(base_clause (_) @base)
(class_interface_clause (_) @base)
(declaration_list (use_declaration (_) @base))
(attribute) @decorator
(namespace_definition name: (namespace_name) @package)
(namespace_use_declaration) @import

; Scopes and what is bound in them
(anonymous_function) @scope
(arrow_function) @scope
(assignment_expression left: (variable_name) @bind right: (_) @value)
(simple_parameter type: (_)? @type name: (variable_name) @bind)
(property_promotion_parameter type: (_)? @type name: (variable_name) @bind)
(catch_clause type: (_) @type name: (variable_name) @bind)

; Calls
(function_call_expression function: (name) @call)
(function_call_expression function: (qualified_name (namespace_name) @receiver (name) @call))
(member_call_expression object: (_) @receiver name: (name) @call)
(nullsafe_member_call_expression object: (_) @receiver name: (name) @call)
(scoped_call_expression scope: (_) @receiver name: (name) @call)
(object_creation_expression (name) @call.new)
(object_creation_expression (qualified_name (namespace_name)? @receiver (name) @call.new))

; Other references
(member_access_expression object: (_) @receiver name: (name) @use.member)
(nullsafe_member_access_expression object: (_) @receiver name: (name) @use.member)
(scoped_property_access_expression scope: (_) @receiver name: (variable_name (name) @use.member))
(class_constant_access_expression . (_) @receiver (name) @use.member .)
(qualified_name (namespace_name) @receiver (name) @use.type)
(named_type (name) @use.type)
(name) @use
