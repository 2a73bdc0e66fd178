; Definitions
(function_definition name: (identifier) @name return_type: (_)? @type) @def.function
(class_definition name: (identifier) @name) @def.class
(module (expression_statement
  (assignment left: (identifier) @name type: (_)? @type right: (_)? @value) @def.variable))
(class_definition body: (block (expression_statement
  (assignment left: (identifier) @name type: (_)? @type right: (_)? @value) @def.field)))
(assignment
  left: (attribute object: (identifier) @self attribute: (identifier) @name)
  type: (_)? @type right: (_)? @value (#eq? @self "self")) @def.field
(type_alias_statement left: (type (identifier) @name)) @def.type

(class_definition superclasses: (argument_list (_) @base))
(decorator) @decorator
(import_statement) @import
(import_from_statement) @import

; Scopes and what is bound in them
(lambda) @scope
(list_comprehension) @scope
(set_comprehension) @scope
(dictionary_comprehension) @scope
(generator_expression) @scope
(assignment left: (identifier) @bind type: (_)? @type right: (_)? @value)
(named_expression name: (identifier) @bind value: (_) @value)
(assignment left: (pattern_list (identifier) @bind))
(assignment left: (tuple_pattern (identifier) @bind))
(for_statement left: (identifier) @bind)
(for_statement left: (pattern_list (identifier) @bind))
(for_in_clause left: (identifier) @bind)
(for_in_clause left: (pattern_list (identifier) @bind))
(with_item value: (as_pattern (_) @value alias: (as_pattern_target (identifier) @bind)))
(except_clause (as_pattern (_) @type alias: (as_pattern_target (identifier) @bind)))
(parameters (identifier) @bind)
(lambda_parameters (identifier) @bind)
(typed_parameter . (identifier) @bind type: (_) @type)
(default_parameter name: (identifier) @bind)
(typed_default_parameter name: (identifier) @bind type: (_) @type)
(list_splat_pattern (identifier) @bind)
(dictionary_splat_pattern (identifier) @bind)
(keyword_argument name: (identifier) @ignore)

; Calls
(call function: (identifier) @call)
(call function: (attribute object: (_) @receiver attribute: (identifier) @call))
(decorator (identifier) @call)
(decorator (attribute object: (_) @receiver attribute: (identifier) @call))

; Other references
(attribute object: (_) @receiver attribute: (identifier) @use.member)
(identifier) @use
