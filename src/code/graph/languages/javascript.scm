; What JavaScript has beyond what it shares with TypeScript.
(field_definition property: (property_identifier) @name value: [(arrow_function) (function_expression)]) @def.method
(field_definition property: (property_identifier) @name value: (_)? @value) @def.field
(class_heritage (_) @base)
(formal_parameters (identifier) @bind)
