; What JavaScript and TypeScript have in common.

; Definitions
(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(class_declaration name: (_) @name) @def.class
(class name: (_) @name) @def.class
(method_definition name: (property_identifier) @name) @def.method
(method_definition name: (private_property_identifier) @name) @def.method
(method_definition name: (computed_property_name) @name) @def.method
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @def.function
(variable_declarator
  name: (identifier) @name
  value: (class)) @def.class
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @def.function
(pair
  key: (property_identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @def.function
(pair
  key: (property_identifier) @name
  value: [(identifier) (member_expression) (call_expression)] @value) @def.property
(object (shorthand_property_identifier) @name @value @def.property)
(export_statement
  "default"
  value: [(arrow_function) (function_expression) (class) (object) (call_expression)] @value) @def.default
(program
  (lexical_declaration (variable_declarator name: (identifier) @name value: (_)? @value) @def.variable))
(program
  (variable_declaration (variable_declarator name: (identifier) @name value: (_)? @value) @def.variable))
(export_statement
  (lexical_declaration (variable_declarator name: (identifier) @name value: (_)? @value) @def.variable))
(assignment_expression
  left: (member_expression object: (this) property: (property_identifier) @name)
  right: (_) @value) @def.field

; What holds definitions without being one
(pair key: (property_identifier) @owner value: (object)) @container
(variable_declarator name: (identifier) @owner value: (object)) @container
(import_statement) @import
(export_statement source: (_)) @import
(export_statement (export_clause)) @import
(export_statement "default" value: (identifier)) @import
(export_statement "default" declaration: (_ name: (_))) @default
(variable_declarator
  value: (call_expression function: (identifier) @require (#eq? @require "require"))) @import
(decorator) @decorator

; Scopes and what is bound in them
(statement_block) @scope
(arrow_function) @scope
(function_expression) @scope
(generator_function) @scope
(for_statement) @scope
(for_in_statement) @scope
(catch_clause) @scope
(variable_declarator name: (identifier) @bind value: (_)? @value)
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @bind))
(object_pattern (shorthand_property_identifier_pattern) @bind)
(object_pattern (pair_pattern value: (identifier) @bind))
(array_pattern (identifier) @bind)
(rest_pattern (identifier) @bind)
(function_expression name: (identifier) @bind)
(arrow_function parameter: (identifier) @bind)
(for_in_statement left: (identifier) @bind)
(catch_clause parameter: (identifier) @bind)
(assignment_pattern left: (identifier) @bind.parameter)

; Calls
(call_expression function: (identifier) @call)
(call_expression
  function: (member_expression object: (_) @receiver property: (property_identifier) @call))
(call_expression
  function: (member_expression object: (_) @receiver property: (private_property_identifier) @call))
(call_expression function: (super) @call.super)
(new_expression constructor: (identifier) @call.new)
(new_expression
  constructor: (member_expression object: (_) @receiver property: (property_identifier) @call.new))

; Other references
(member_expression object: (_) @receiver property: (property_identifier) @use.member)
(identifier) @use
