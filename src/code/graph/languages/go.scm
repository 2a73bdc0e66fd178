; Definitions
(function_declaration name: (identifier) @name result: (_)? @type) @def.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @name result: (_)? @type) @def.method
(type_spec name: (type_identifier) @name type: (struct_type)) @def.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @def.interface
(type_spec name: (type_identifier) @name type: (_) @type) @def.type
(type_alias name: (type_identifier) @name type: (_) @type) @def.type
(method_elem name: (field_identifier) @name result: (_)? @type) @def.method
(field_declaration name: (field_identifier) @name type: (_) @type) @def.field
(source_file (const_declaration (const_spec name: (identifier) @name type: (_)? @type) @def.constant))
(source_file (var_declaration (var_spec name: (identifier) @name type: (_)? @type value: (_)? @value) @def.variable))
(source_file (var_declaration (var_spec_list
  (var_spec name: (identifier) @name type: (_)? @type value: (_)? @value) @def.variable)))

; A struct holds what it embeds
(field_declaration !name type: (_) @base)
(type_elem (_) @base)
(import_spec) @import

; Scopes and what is bound in them
(block) @scope
(func_literal) @scope
(if_statement) @scope
(for_statement) @scope
(expression_switch_statement) @scope
(type_switch_statement) @scope
(expression_case) @scope
(type_case) @scope
(communication_case) @scope
(short_var_declaration left: (expression_list . (identifier) @bind) right: (expression_list . (_) @value))
(short_var_declaration left: (expression_list (identifier) (identifier) @bind))
(var_spec name: (identifier) @bind type: (_)? @type value: (expression_list . (_) @value)?)
(const_spec name: (identifier) @bind)
(parameter_declaration name: (identifier) @bind type: (_) @type)
(variadic_parameter_declaration name: (identifier) @bind)
(range_clause left: (expression_list (identifier) @bind))
(type_switch_statement alias: (expression_list (identifier) @bind))
(type_parameter_declaration name: (identifier) @bind)
(keyed_element key: (literal_element (identifier) @ignore))

; Calls
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @receiver field: (field_identifier) @call))
(call_expression function: (type_instantiation_expression type: (type_identifier) @call))
(call_expression function: (index_expression operand: (identifier) @call))

; Other references
(selector_expression operand: (_) @receiver field: (field_identifier) @use.member)
(qualified_type package: (package_identifier) @receiver name: (type_identifier) @use.type)
(type_identifier) @use.type
(identifier) @use
