/** Finds functions in the text of a source file, by its syntax tree. */
import { parseAst } from 'rolldown/parseAst';

export type FoundFunction = { name: string; line: number; lines: number };

type Node = { type: string; start: number; end: number; [field: string]: unknown };

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';

/** What a function is called by: its own name, or what it is given to. */
const nameOf = (node: Node, text: string): string | undefined => {
  const named = node['id'] ?? node['key'];
  if (isNode(named)) return text.slice(named.start, named.end);
  const callee = node['callee'];
  return isNode(callee) ? `${text.slice(callee.start, callee.end)}(…)` : undefined;
};

/** Functions, arrows and methods with at least so many lines, in their order. */
export const longFunctions = (path: string, text: string, minLines: number): FoundFunction[] => {
  const program = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path);
  const found: FoundFunction[] = [];
  const lineAt = (position: number): number => text.slice(0, position).split('\n').length;
  const visit = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, name);
    if (!isNode(value)) return;
    const own = nameOf(value, text) ?? name;
    if (/Function/.test(value.type) && isNode(value['body'])) {
      const lines = text.slice(value.start, value.end).split('\n').length;
      if (lines >= minLines) found.push({ name: own, line: lineAt(value.start), lines });
    }
    for (const field of Object.values(value)) visit(field, own);
  };
  visit(program, 'a function');
  return found;
};
