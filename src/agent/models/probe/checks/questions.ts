/** What the checks of calls ask about: tools that do not exist, and requests that name one of them. */
import type { ToolSchema } from '../../../../core/tool.ts';
import type { Question } from '../ask.ts';
import { ASSISTANT, type Findings, tool, user } from '../check.ts';

export const text = { type: 'string' } as const;
export const WEATHER = tool('get_weather', 'Get the current weather of a city.', { city: text });
export const CLOCK = tool('get_time', 'Get the current time.');
export const READ = tool('read_file', 'Read a file of the project.', { path: text });
const WRITE = tool('write_file', 'Write text into a file.', { path: text, content: text });
const SEARCH = tool('search_web', 'Search the web for a query.', { query: text });
export const MAIL = tool('send_mail', 'Send an e-mail.', { to: text, subject: text });
export const SUM = tool('add', 'Add two integers.', { a: { type: 'integer' }, b: { type: 'integer' } });
export const FEW = [WEATHER, CLOCK, READ, SEARCH, MAIL];
export const MANY = [
  ...FEW,
  ...[
    'translate',
    'calendar',
    'play_music',
    'set_alarm',
    'book_flight',
    'convert_currency',
    'resize_image',
    'ping_host',
  ].map((name) => tool(name, `The tool for: ${name.replace('_', ' ')}.`, { what: text })),
  WRITE,
  SUM,
];

export const asks = (tools: readonly ToolSchema[], request: string): Question => ({
  messages: [ASSISTANT, user(request)],
  tools,
});

/** The way of calling that was found to work. */
export const way = ({ injected }: Findings): Partial<Question> => (injected === undefined ? {} : { injected });

/** Text of no matter, for prompts of some length. */
export const FILLER = 'The harbour was quiet and the boats lay in a row along the wall. ';
