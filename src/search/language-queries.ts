/**
 * What is taken out of a syntax tree, for each language. They begin where the `tags.scm` of the grammars' own packages
 * do, and add what a graph needs and those leave out: imports, inheritance, types, owners of methods.
 *
 * `@function` and its like are a definition and `@name` its name; `@call`, `@member` (called on
 * something), `@use` and `@inherit` are names that stand for
 * something defined elsewhere; `@import` is a whole statement, read in `imports.ts`; `@owner` names a method's type.
 */

const SCRIPT = `
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(method_definition name: (_) @name) @method
(lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)])) @function
(variable_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)])) @function
(program (lexical_declaration (variable_declarator name: (identifier) @name value: [(object) (array) (call_expression) (string) (template_string) (number) (regex) (new_expression) (as_expression) (satisfies_expression) (identifier) (member_expression) (binary_expression) (true) (false) (unary_expression)])) @constant)
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name value: [(object) (array) (call_expression) (string) (template_string) (number) (regex) (new_expression) (as_expression) (satisfies_expression) (identifier) (member_expression) (binary_expression) (true) (false) (unary_expression)])) @constant))
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @method
(assignment_expression left: (member_expression property: (property_identifier) @name) right: [(arrow_function) (function_expression)]) @function
(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (property_identifier) @member))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression property: (property_identifier) @call))
(arguments (identifier) @use)
(pair value: (identifier) @use)
(array (identifier) @use)
(shorthand_property_identifier) @use
(import_statement) @import
(export_statement source: (string)) @import
(call_expression function: (import)) @import
(call_expression function: (identifier) @require (#eq? @require "require")) @import
`;

const withoutTypes = (query: string): string => query.replaceAll(' (as_expression) (satisfies_expression)', '');

const JSX = `
(jsx_opening_element name: (identifier) @use)
(jsx_self_closing_element name: (identifier) @use)
`;

const TYPES = `
(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @interface
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @enum
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
(function_signature name: (identifier) @name) @function
(abstract_method_signature name: (_) @name) @method
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(extends_clause value: (identifier) @inherit)
(extends_clause value: (member_expression property: (property_identifier) @inherit))
(implements_clause (type_identifier) @inherit)
(implements_clause (generic_type name: (type_identifier) @inherit))
(extends_type_clause (type_identifier) @inherit)
(extends_type_clause (generic_type name: (type_identifier) @inherit))
(type_identifier) @use
`;

export const TYPESCRIPT = SCRIPT + TYPES;
export const TSX = SCRIPT + TYPES + JSX;
export const JAVASCRIPT = `${withoutTypes(SCRIPT)}${JSX}
(class_declaration name: (identifier) @name) @class
(class_heritage (identifier) @inherit)
(class_heritage (member_expression property: (property_identifier) @inherit))
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
`;

export const PYTHON = `
(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(module (expression_statement (assignment left: (identifier) @name)) @constant)
(class_definition superclasses: (argument_list (identifier) @inherit))
(class_definition superclasses: (argument_list (attribute attribute: (identifier) @inherit)))
(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @member))
(decorator (identifier) @use)
(decorator (attribute attribute: (identifier) @use))
(argument_list (identifier) @use)
(keyword_argument value: (identifier) @use)
(type (identifier) @use)
(import_statement) @import
(import_from_statement) @import
`;

export const GO = `
(function_declaration name: (identifier) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (type_identifier) @owner)) name: (field_identifier) @name) @method
(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (type_identifier) @owner))) name: (field_identifier) @name) @method
(method_declaration receiver: (parameter_list (parameter_declaration type: (generic_type type: (type_identifier) @owner))) name: (field_identifier) @name) @method
(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (generic_type type: (type_identifier) @owner)))) name: (field_identifier) @name) @method
(type_declaration (type_spec name: (type_identifier) @name type: (interface_type))) @interface
(type_declaration (type_spec name: (type_identifier) @name type: (struct_type))) @class
(type_declaration (type_spec name: (type_identifier) @name)) @type
(source_file (const_declaration (const_spec name: (identifier) @name)) @constant)
(source_file (var_declaration (var_spec name: (identifier) @name)) @constant)
(struct_type (field_declaration_list (field_declaration !name type: (type_identifier) @inherit)))
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @member))
(argument_list (identifier) @use)
(type_identifier) @use
(import_spec) @import
`;

export const RUST = `
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @class
(enum_item name: (type_identifier) @name) @enum
(union_item name: (type_identifier) @name) @class
(trait_item name: (type_identifier) @name) @interface
(type_item name: (type_identifier) @name) @type
(mod_item name: (identifier) @name body: (_)) @module
(macro_definition name: (identifier) @name) @macro
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @constant
(impl_item type: (type_identifier) @name) @implementation
(impl_item type: (generic_type type: (type_identifier) @name)) @implementation
(impl_item trait: (type_identifier) @inherit)
(impl_item trait: (generic_type type: (type_identifier) @inherit))
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @member))
(call_expression function: (scoped_identifier name: (identifier) @call))
(macro_invocation macro: (identifier) @call)
(arguments (identifier) @use)
(type_identifier) @use
(use_declaration) @import
`;

export const C = `
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function
(struct_specifier name: (type_identifier) @name body: (_)) @class
(union_specifier name: (type_identifier) @name body: (_)) @class
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(type_definition declarator: (type_identifier) @name) @type
(preproc_def name: (identifier) @name) @constant
(preproc_function_def name: (identifier) @name) @macro
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @member))
(argument_list (identifier) @use)
(type_identifier) @use
(preproc_include) @import
`;

export const CPP = `${C}
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @method
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (namespace_identifier) @owner name: (identifier) @name))) @method
(function_definition declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @function
(class_specifier name: (type_identifier) @name body: (_)) @class
(namespace_definition name: (namespace_identifier) @name) @module
(base_class_clause (type_identifier) @inherit)
(call_expression function: (qualified_identifier name: (identifier) @call))
(new_expression type: (type_identifier) @call)
`;

export const JAVA = `
(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(record_declaration name: (identifier) @name) @class
(annotation_type_declaration name: (identifier) @name) @interface
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(superclass (type_identifier) @inherit)
(superclass (generic_type (type_identifier) @inherit))
(super_interfaces (type_list (type_identifier) @inherit))
(super_interfaces (type_list (generic_type (type_identifier) @inherit)))
(extends_interfaces (type_list (type_identifier) @inherit))
(method_invocation object: (_) name: (identifier) @member)
(method_invocation !object name: (identifier) @call)
(object_creation_expression type: (type_identifier) @call)
(argument_list (identifier) @use)
(type_identifier) @use
(import_declaration) @import
`;
