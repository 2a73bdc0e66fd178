; Definitions
(method name: (_) @name) @def.method
(singleton_method name: (_) @name) @def.method
(class name: (constant) @name) @def.class
(class name: (scope_resolution scope: (_)? @within name: (constant) @name)) @def.class
(module name: (constant) @name) @def.module
(module name: (scope_resolution scope: (_)? @within name: (constant) @name)) @def.module
(alias name: (identifier) @name) @def.method
(assignment left: (constant) @name right: (_) @value) @def.constant
(assignment left: (instance_variable) @name right: (_) @value) @def.field
(call
  method: (identifier) @attribute
  arguments: (argument_list (simple_symbol) @name @def.property)
  (#any-of? @attribute "attr_reader" "attr_accessor" "attr_writer"))

(superclass (_) @base)
(call
  method: (identifier) @mixin
  arguments: (argument_list [(constant) (scope_resolution)] @base)
  (#any-of? @mixin "include" "extend" "prepend"))

; Scopes and what is bound in them
(block) @scope
(do_block) @scope
(lambda) @scope
(assignment left: (identifier) @bind right: (_) @value)
(left_assignment_list (identifier) @bind)
(method_parameters (identifier) @bind)
(block_parameters (identifier) @bind)
(lambda_parameters (identifier) @bind)
(optional_parameter name: (identifier) @bind)
(keyword_parameter name: (identifier) @bind)
(splat_parameter name: (identifier) @bind)
(hash_splat_parameter name: (identifier) @bind)
(block_parameter name: (identifier) @bind)
(exception_variable (identifier) @bind)

; Calls
(call !receiver method: (identifier) @call)
(call receiver: (_) @receiver method: (identifier) @call)

; Other references: an identifier that nothing binds is a call without arguments
(scope_resolution scope: (_) @receiver name: (constant) @use.type)
(constant) @use.type
(identifier) @call
(instance_variable) @use.instance
