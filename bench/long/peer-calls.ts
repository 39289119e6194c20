/** The same calls by the names that a program gives its tools: a read and an edit of a file. */

type Tool = { function?: { name?: string; parameters?: { properties?: Record<string, unknown> } } };
export type Call = { name: string; arguments: string };

const READ = /^(?:read_file|read|view|cat)$/i;
const EDIT = /^(?:edit_file|edit|str_replace|replace)$/i;
const PATH = /^(?:path|file_?path)$/i;
const OLD = /^old_?(?:text|string|str)$/i;
const NEW = /^new_?(?:text|string|str)$/i;

const toolOf = (tools: readonly unknown[], name: RegExp) => {
  const found = (tools as readonly Tool[]).find((tool) => name.test(tool.function?.name ?? ''));
  return (
    found && { name: found.function?.name ?? '', fields: Object.keys(found.function?.parameters?.properties ?? {}) }
  );
};
const fieldOf = (fields: readonly string[], name: RegExp, otherwise: string): string =>
  fields.find((field) => name.test(field)) ?? otherwise;

export const readCall = (tools: readonly unknown[], path: string): Call => {
  const { name, fields } = toolOf(tools, READ) ?? { name: 'read_file', fields: [] };
  return { name, arguments: JSON.stringify({ [fieldOf(fields, PATH, 'path')]: path }) };
};

export const editCall = (
  tools: readonly unknown[],
  path: string,
  { old_text, new_text }: { old_text: string; new_text: string },
): Call => {
  const { name, fields } = toolOf(tools, EDIT) ?? { name: 'edit_file', fields: ['old_text', 'new_text'] };
  const where = { [fieldOf(fields, PATH, 'path')]: path };
  // Some take a list of edits.
  const args = fields.includes('edits')
    ? { ...where, edits: [{ oldText: old_text, newText: new_text }] }
    : { ...where, [fieldOf(fields, OLD, 'old_text')]: old_text, [fieldOf(fields, NEW, 'new_text')]: new_text };
  return { name, arguments: JSON.stringify(args) };
};
