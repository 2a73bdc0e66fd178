; Definitions
(class_declaration name: (identifier) @name) @def.class
(object_declaration name: (identifier) @name) @def.class
(companion_object name: (identifier) @name) @def.class
(enum_entry (identifier) @name) @def.variant
(type_alias type: (identifier) @name) @def.type
(function_declaration name: (identifier) @name) @def.function
(function_declaration name: (identifier) @name (function_value_parameters) . (_) @type) @def.function
(secondary_constructor) @scope
(class_parameter ["val" "var"] (identifier) @name (_) @type) @def.field
(source_file (property_declaration (variable_declaration . (identifier) @name (_)? @type)) @def.variable)
(class_body (property_declaration (variable_declaration . (identifier) @name (_) @type)) @def.field)
(class_body (property_declaration (variable_declaration . (identifier) @name) "=" (_) @value) @def.field)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @def.field)

(delegation_specifier (constructor_invocation (user_type) @base))
(delegation_specifier (user_type) @base)
(annotation) @decorator
(package_header (_) @package)
(import) @import

; Scopes and what is bound in them
(block) @scope
(lambda_literal) @scope
(anonymous_function) @scope
(for_statement) @scope
(catch_block) @scope
(property_declaration (variable_declaration . (identifier) @bind (_) @type))
(property_declaration (variable_declaration . (identifier) @bind) "=" (_) @value)
(variable_declaration . (identifier) @bind)
(parameter . (identifier) @bind (_) @type)
(class_parameter (identifier) @bind (_) @type)
(type_parameter (identifier) @bind)
(value_argument . (identifier) @ignore "=")

; Calls
(call_expression . (identifier) @call)
(call_expression . (navigation_expression (_) @receiver (identifier) @call .))
(constructor_invocation (user_type (identifier) @call.new .))
(callable_reference (identifier) @use)

; Other references
(navigation_expression (_) @receiver (identifier) @use.member .)
(user_type (identifier) @use.type .)
(identifier) @use
