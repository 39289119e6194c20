/** The reference page of the HTTP interface, made from the routes that the OpenAPI document is made of. */
import type { Route, SchemaLiteral } from './route.ts';
import { ROUTES } from './routes/index.ts';

export const HTTP_REFERENCE_FILE = 'docs/reference/http.md';

type Node = {
  type?: string | string[];
  enum?: readonly unknown[];
  const?: unknown;
  description?: string;
  properties?: Record<string, Node>;
  required?: readonly string[];
  items?: Node;
  oneOf?: readonly Node[];
  minimum?: number;
};

const escaped = (text: string): string => text.replaceAll('|', '\\|');

const typeText = (node: Node): string => {
  if (node.const !== undefined) return `\`${JSON.stringify(node.const)}\``;
  if (node.enum) return node.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (node.oneOf) return [...new Set(node.oneOf.map(typeText))].join(' or ');
  if (node.type === 'array' && node.items) return `list of ${typeText(node.items)}`;
  return Array.isArray(node.type) ? node.type.join(' or ') : (node.type ?? 'any');
};

const fieldRows = (node: Node): string[] =>
  Object.entries(node.properties ?? {}).map(([name, field]) => {
    const optional = node.required?.includes(name) ? '' : '?';
    return `| \`${name}${optional}\` | ${escaped(typeText(field))} | ${escaped(field.description ?? '')} |`;
  });

const table = (title: string, rows: readonly string[]): string[] =>
  rows.length === 0 ? [] : ['', title, '', '| field | type | |', '|---|---|---|', ...rows];

const bodyTables = (schema: SchemaLiteral | undefined): string[] => {
  const node = schema as Node | undefined;
  if (node?.oneOf && node.properties === undefined) {
    return node.oneOf.flatMap((branch) => {
      const kind = Object.values(branch.properties ?? {}).find((field) => field.const !== undefined)?.const;
      return table(`Body \`${String(kind)}\`:`, fieldRows(branch));
    });
  }
  return node ? table('Body:', fieldRows(node)) : [];
};

const section = (route: Route): string => {
  const query = Object.entries(route.query ?? {}).map(
    ([name, { description, schema }]) =>
      `| \`${name}?\` | ${escaped(typeText(schema as Node))} | ${escaped(description)} |`,
  );
  const answers = Object.entries(route.responses).flatMap(([status, { description, schema }]) => [
    '',
    `\`${status}\`: ${description}`,
    ...table('', fieldRows((schema ?? {}) as Node)).slice(2),
  ]);
  return [
    `### \`${route.method} ${route.path}\``,
    '',
    `${route.summary}.${route.open ? ' Needs no token.' : ''}`,
    ...(route.description ? ['', route.description] : []),
    ...table('Query:', query),
    ...bodyTables(route.body),
    ...(route.file ? ['', `Body (\`application/octet-stream\`): ${route.file.description}`] : []),
    ...answers,
  ].join('\n');
};

const TITLES: Readonly<Record<string, string>> = {
  tools: 'Tools',
  chat: 'Chat',
  sessions: 'Sessions',
  models: 'Models',
  rules: 'Rules of permission',
  settings: 'Settings',
  openai: "OpenAI's API",
  system: 'The server itself',
};

export const httpReference = (): string => {
  const tags = [...new Set(ROUTES.map(({ tag }) => tag))];
  return [
    '# HTTP',
    '',
    '<!-- Made by scripts/write-reference.ts from src/server/routes. -->',
    '',
    'What `halter serve` answers. The same as an OpenAPI document: `GET /api/openapi.json`. How to run it: [serve](../how-to/serve.md).',
    '',
    'Every route but the page, its files, `/healthz` and `/readyz` needs the token that was printed at the start: `Authorization: Bearer TOKEN`. Bodies are JSON (`Content-Type: application/json`). Errors are `{"error": {"code", "message"}}`; on paths of another API, such as `/v1` and Ollama\'s below `/api`, they have [its shape](../how-to/openai-endpoint.md#errors).',
    '',
    'The lines of a stream are those of [stream-json](events.md), and besides them `user_message`, `assistant_message`, `policy`, `tool_start`, `tool_call_delta`, and the events of the log that have no name there. `progress_reset` says that what was shown since the last kept event begins again.',
    ...tags.flatMap((tag) => [
      '',
      `## ${TITLES[tag] ?? tag}`,
      '',
      ROUTES.filter((route) => route.tag === tag)
        .map(section)
        .join('\n\n'),
    ]),
    '',
  ].join('\n');
};
