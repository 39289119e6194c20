/** Where an argument comes from, as data and as a sentence for people. */

/** A text of the conversation that is not the model's own. */
export type ContentSource = {
  kind: 'person' | 'own_file' | 'untrusted';
  /** Of results: the call, its tool, and what it was about (an address, a path, a query). */
  tool_call_id?: string;
  tool?: string;
  about?: string;
};
export type Origin = ContentSource['kind'] | 'unknown';

/** Where one weighty argument comes from, as a permission request shows it. */
export type ArgumentOrigin = {
  /** `recipient`, `files[0].path`. */
  argument: string;
  /** The part that decided, at most 200 characters. */
  value: string;
  /** `unknown`: it stands in nothing that came into the conversation; the model made it. */
  origin: Origin;
  source?: ContentSource;
};

/** `recipient` stands in the page https://… that web_fetch brought, not in anything you wrote. */
export const originText = ({ argument, origin, source }: ArgumentOrigin): string => {
  if (origin === 'person') return `${argument} stands in what you wrote`;
  if (origin === 'unknown') return `${argument} stands in nothing that you wrote`;
  if (origin === 'own_file') return `${argument} stands in ${sourceText(source)}`;
  return `${argument} stands in ${sourceText(source)}, not in anything you wrote`;
};

/** One line an argument for a permission request, with the value: `recipient "US13…" stands in …`. */
export const originLines = (origins: readonly ArgumentOrigin[]): string[] =>
  origins.map((origin) => originText({ ...origin, argument: `${origin.argument} ${JSON.stringify(origin.value)}` }));

/** `the page https://… that web_fetch brought`. */
export const sourceText = (source: ContentSource | undefined): string => {
  const { tool, about } = source ?? {};
  if (tool === undefined) return about ?? 'content from outside';
  const server = /^mcp__(.+?)__(.+)$/.exec(tool);
  if (server)
    return `what the MCP server ${server[1]} answered to ${server[2]}${about === undefined ? '' : ` (${about})`}`;
  if (tool.endsWith('_search') && about !== undefined) return `the results that ${tool} brought for "${about}"`;
  if (about !== undefined && /^https?:/i.test(about)) return `the page ${about} that ${tool} brought`;
  return `${about === undefined ? 'what' : `${about} that`} ${tool} brought`;
};
