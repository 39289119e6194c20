/** A page or document of the web as text that a model can read: HTML as Markdown, PDF as text, text as it is. */

import { capital } from '../core/capital.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { webSettings } from '../core/web-settings.ts';
import { TOOL_LIMITS } from './limits.ts';
import { builtIn } from './support/built-in.ts';
import { longAddressText } from './web/long-address.ts';

const summarize = (result: ToolResult): string[] => {
  const [head = '', ...paragraphs] = (result.data ?? '').split('\n\n');
  return [head.replaceAll('\n', ' '), ...paragraphs.filter((text) => !text.startsWith('#'))].filter(
    (text) => text !== '',
  );
};

const LOOPBACK = /^(?:localhost|127(?:\.\d+){1,3}|\[::1\])$/;

export const webFetch = builtIn({
  name: 'web_fetch',
  description: 'Fetch a web page or document by its address and return its readable text as Markdown.',
  risk: 'medium',
  effects: 'network',
  path_arguments: [],
  sinks: ['url'],
  reads_only: true,
  timeout_ms: TOOL_LIMITS.webFetchTimeoutMs,
  untrusted_content: true,
  dispensable: true,
  main_argument: 'url',
  parameters: {
    type: 'object',
    properties: {
      url: { type: 'string', description: 'http:// or https:// address', minLength: 1 },
      max_chars: {
        type: 'integer',
        description: 'Characters to return at most',
        minimum: 1,
        maximum: TOOL_LIMITS.webFetchCharactersMax,
        default: TOOL_LIMITS.webFetchCharactersDefault,
      },
    },
    required: ['url'],
  },
  unavailable(config, args, network) {
    const address = String(args?.['url']).trim();
    if (webSettings(config).offline && !LOOPBACK.test(URL.parse(address)?.hostname ?? ''))
      return 'halter is offline (--offline): only this machine may be reached.';
    if (args === undefined) return undefined;
    const tooLong = longAddressText(address);
    if (tooLong !== undefined) return tooLong;
    const refused = network?.refusalOf?.(address);
    return refused === undefined ? undefined : `${capital(refused).replace(/\.$/, '')}.`;
  },
  async run(args, context) {
    const { fetchPage } = await import('./web/fetch-page.ts');
    return fetchPage(args, context);
  },
  /** The address as the machine reads it: letters that only look alike stand in their plain form here. */
  async preview(args) {
    const url = URL.parse(String(args['url']).trim());
    return url ? { summary: `fetch ${url.href} from ${url.host}` } : undefined;
  },
  summarize,
});
