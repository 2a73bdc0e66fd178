; Definitions
(function_item name: (identifier) @name return_type: (_)? @type) @def.function
(function_signature_item name: (identifier) @name return_type: (_)? @type) @def.function
(struct_item name: (type_identifier) @name) @def.struct
(union_item name: (type_identifier) @name) @def.struct
(enum_item name: (type_identifier) @name) @def.enum
(enum_variant name: (identifier) @name) @def.variant
(trait_item name: (type_identifier) @name) @def.trait
(type_item name: (type_identifier) @name type: (_) @type) @def.type
(associated_type name: (type_identifier) @name) @def.type
(mod_item name: (identifier) @name) @def.module
(macro_definition name: (identifier) @name) @def.macro
(const_item name: (identifier) @name type: (_) @type) @def.constant
(static_item name: (identifier) @name type: (_) @type) @def.constant
(field_declaration name: (field_identifier) @name type: (_) @type) @def.field

; What holds definitions without being one, and what a type builds on
(impl_item trait: (_)? @base type: (_) @owner) @container
(trait_item bounds: (trait_bounds (_) @base))
(attribute_item) @decorator
(use_declaration) @import

; Scopes and what is bound in them
(block) @scope
(closure_expression) @scope
(match_arm) @scope
(if_expression) @scope
(while_expression) @scope
(for_expression) @scope
(let_declaration pattern: (identifier) @bind type: (_)? @type value: (_)? @value)
(let_declaration pattern: (mut_pattern (identifier) @bind) type: (_)? @type value: (_)? @value)
(let_declaration pattern: (tuple_struct_pattern type: (_) . (identifier) @bind .) value: (_) @value)
(let_condition pattern: (tuple_struct_pattern type: (_) . (identifier) @bind .) value: (_) @value)
(parameter pattern: (identifier) @bind type: (_) @type)
(parameter pattern: (mut_pattern (identifier) @bind) type: (_) @type)
(closure_parameters (identifier) @bind)
(for_expression pattern: (identifier) @bind)
(tuple_struct_pattern type: (_) (identifier) @bind)
(tuple_pattern (identifier) @bind)
(slice_pattern (identifier) @bind)
(or_pattern (identifier) @bind.lower)
(ref_pattern (identifier) @bind)
(mut_pattern (identifier) @bind)
(reference_pattern (identifier) @bind)
(captured_pattern . (identifier) @bind)
(match_pattern . (identifier) @bind.lower)
(field_pattern name: (shorthand_field_identifier) @bind)
(field_pattern pattern: (identifier) @bind.lower)
(type_parameter name: (type_identifier) @bind)
(type_parameter name: (type_identifier) @bind bounds: (trait_bounds . (_) @type))
(where_predicate left: (type_identifier) @bind.again bounds: (trait_bounds . (_) @type))

; Calls
(call_expression function: (identifier) @call)
(call_expression function: (scoped_identifier path: (_) @receiver name: (identifier) @call))
(call_expression function: (field_expression value: (_) @receiver field: (field_identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression
  function: (generic_function
    function: (scoped_identifier path: (_) @receiver name: (identifier) @call)))
(call_expression
  function: (generic_function
    function: (field_expression value: (_) @receiver field: (field_identifier) @call)))
(macro_invocation macro: (identifier) @call.macro)
(macro_invocation macro: (scoped_identifier path: (_) @receiver name: (identifier) @call.macro))
(token_tree (identifier) @call.token . (token_tree))

; Other references
(scoped_identifier path: (_) @receiver name: (identifier) @use)
(scoped_type_identifier path: (_) @receiver name: (type_identifier) @use.type)
(field_expression value: (_) @receiver field: (field_identifier) @use.member)
(identifier) @use
(type_identifier) @use.type
