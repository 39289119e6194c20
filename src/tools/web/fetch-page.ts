/** The inside of web_fetch: what comes from an address, read by its bytes and made fit for a model. */

import type { JsonObject } from '../../core/json.ts';
import { grouped } from '../../core/number-text.ts';
import { cutNote } from '../../core/tool/cut-note.ts';
import type { ToolContext } from '../../core/tool.ts';
import { fail, ok, type ToolOutput } from '../../core/tool-result.ts';
import { parseWritten, writtenJsonLines } from '../../core/written-numbers.ts';
import { TOOL_LIMITS } from '../limits.ts';
import { cutText, oneLine, tidyText } from './clean-text.ts';
import { type ContentKind, contentKind } from './content-kind.ts';
import { decodeText } from './decode-text.ts';
import { statusFailure, type WebAnswer, webRequest } from './get.ts';
import { longAddressText } from './long-address.ts';
import { readInThread } from './page-reader.ts';
import { isBottomless, plainText } from './plain-text.ts';

const ACCEPT =
  'text/html,application/xhtml+xml,text/markdown,text/plain,application/json,application/pdf;q=0.9,*/*;q=0.5';
const USER_AGENT = 'Mozilla/5.0 (compatible; halter)';

const PLAIN_NOTE = 'the page could not be read as an article, so this is its plain text';

const LONG_NOTE = 'the page is too long to be read as an article, so this is the plain text of its beginning';

type Read = { title: string; text: string; note?: string | undefined };

export const fetchPage = async (args: JsonObject, context: ToolContext): Promise<ToolOutput> => {
  const url = String(args['url']).trim();
  const tooLong = longAddressText(url);
  if (tooLong !== undefined) return fail('validation_failed', tooLong);
  const fetched = await webRequest(context, {
    url,
    redirects: TOOL_LIMITS.webRedirects,
    mayFollow: context.mayReach,
    headers: { accept: ACCEPT, 'accept-encoding': 'gzip, deflate, br', 'user-agent': USER_AGENT },
    timeoutMs: TOOL_LIMITS.webFetchNetworkMs,
  });
  if (!fetched.ok) return fetched.output;
  const { answer } = fetched;
  const contentType = answer.headers['content-type'] ?? '';
  const content = contentKind(answer.bytes, contentType);
  if (answer.status >= 400) return statusFailure(answer, refusalWords(answer, content, contentType));
  if (content.kind === 'binary') {
    return fail(
      'parse_error',
      `${answer.url} is ${content.what} of ${grouped(answer.bytes.length)} bytes; web_fetch reads pages, text and PDF.`,
    );
  }
  const read = await readContent(answer, content.kind, contentType, context.signal);
  return 'error' in read ? read.error : present(read, answer, url, Number(args['max_chars']));
};

const readContent = async (
  answer: WebAnswer,
  kind: Exclude<ContentKind['kind'], 'binary'>,
  contentType: string,
  signal: AbortSignal,
): Promise<Read | { error: ToolOutput }> => {
  if (kind === 'pdf') {
    const read = await readInThread({ kind, bytes: answer.bytes, maxPages: TOOL_LIMITS.webPdfPages }, { signal });
    if (read.ok && read.value.page?.text) return read.value.page;
    const why = read.ok ? 'it holds no text (its pages may be pictures)' : read.error.message;
    return { error: fail('parse_error', `${answer.url} is a PDF that cannot be read: ${why}.`) };
  }
  const text = decodeText(answer.bytes, contentType);
  if (kind === 'json') return { title: '', text: indented(text) };
  if (kind === 'text') return { title: '', text: tidyText(text) };
  const begin = text.slice(0, TOOL_LIMITS.webPageCharacters);
  if (isBottomless(text, TOOL_LIMITS.webPageOpenElements))
    return { title: '', text: plainText(begin), note: PLAIN_NOTE };
  if (begin.length < text.length) return { title: '', text: plainText(begin), note: LONG_NOTE };
  const read = await readInThread({ kind, html: text, address: answer.url }, { signal });
  if (read.ok && read.value.page && read.value.page.text !== '') return read.value.page;
  if (signal.aborted) return { error: fail('io_error', 'Cancelled.', { reason: 'cancelled' }) };
  const note = read.ok ? undefined : PLAIN_NOTE;
  return { title: read.ok ? (read.value.page?.title ?? '') : '', text: plainText(text), note };
};

/** On one line JSON is read badly; data that is none is given as it came. */
const indented = (text: string): string => {
  if (text.includes('\n')) return tidyText(text);
  try {
    return tidyText(writtenJsonLines(parseWritten(text)));
  } catch {
    return tidyText(text);
  }
};

/** What a program's interface says of its refusal; a page of apologies is left out. */
const refusalWords = (answer: WebAnswer, content: ContentKind, contentType: string): string =>
  content.kind === 'json' || content.kind === 'text'
    ? cutText(oneLine(decodeText(answer.bytes, contentType)), TOOL_LIMITS.webSearchSnippetCharacters)
    : '';

const present = (read: Read, answer: WebAnswer, asked: string, maxCharacters: number): ToolOutput => {
  const whole = read.text;
  const text = cutText(whole, maxCharacters);
  const cut =
    text.length < whole.length ? `the first ${grouped(text.length)} of ${grouped(whole.length)} characters` : '';
  const redirected = URL.parse(asked)?.href !== answer.url ? ` (asked for ${asked})` : '';
  const head = [
    ...(read.title === '' ? [] : [`Title: ${read.title}`]),
    `URL: ${answer.url}${redirected}`,
    ...(read.note ? [`Note: ${read.note}`] : []),
  ];
  const body = whole === '' ? '(the page holds no text)' : text;
  const more =
    cut === ''
      ? ''
      : `\n${cutNote(`${cut}${maxCharacters < TOOL_LIMITS.webFetchCharactersMax ? `; max_chars takes up to ${grouped(TOOL_LIMITS.webFetchCharactersMax)}` : ''}`)}`;
  return ok(`${head.join('\n')}\n\n${body}${more}`, cut === '' ? undefined : { truncated: cut });
};
