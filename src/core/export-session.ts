/** A session as a document: Markdown, one HTML file that needs nothing else, JSON, or the lines of its log. */
import { argumentsText } from './call-arguments.ts';
import type { Event } from './events.ts';
import { escapeCharacter } from './invisible.ts';
import { givenTitle } from './session-tree.ts';
import { setAsideText } from './set-aside.ts';
import { executionTime, statusOf, timeTaken } from './tool/display-status.ts';
import { speakerOf, type TranscriptCall, type TranscriptEntry, transcriptOf } from './transcript.ts';
import { firstWords } from './window/text.ts';

export const EXPORT_FORMATS = ['markdown', 'json', 'jsonl', 'html'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export const EXPORT_NAME = 'halter-session';
export const EXPORT_VERSION = 1;

/**
 * Markdown and HTML show the way through the session that counts, and say that others were set aside. The formats that can
 * be imported hold all of it.
 */
export const exportSession = (events: readonly Event[], format: ExportFormat): string => {
  switch (format) {
    case 'markdown':
      return markdown(events);
    case 'html':
      return html(events);
    case 'json':
      return `${JSON.stringify({ format: EXPORT_NAME, version: EXPORT_VERSION, events }, null, 2)}\n`;
    case 'jsonl':
      return events.map((event) => `${JSON.stringify(event)}\n`).join('');
    default:
      return format satisfies never;
  }
};

const TITLE_CHARACTERS = 80;

/** The name that it was given, or the first words that were said; undefined where there are none. */
export const knownTitle = (events: readonly Event[]): string | undefined => {
  const given = givenTitle(events);
  if (given !== undefined) return given;
  const first = transcriptOf(events).find(({ kind }) => kind === 'user');
  return first?.kind === 'user' && first.text.trim() !== '' ? firstWords(first.text, TITLE_CHARACTERS) : undefined;
};

export const titleOf = (events: readonly Event[]): string => knownTitle(events) ?? 'A session';

const factsOf = (events: readonly Event[]): { model: string; at: string } => {
  const started = events.find((event) => event.type === 'session_started');
  return {
    model: started?.type === 'session_started' ? started.model : '',
    at: dateText(events[0]?.at ?? 0),
  };
};

/** `2026-11-21 14:05 UTC`: the same wherever it is made. */
const dateText = (at: number): string => {
  const date = new Date(Number.isFinite(at) && Math.abs(at) < 8.64e15 ? at : 0);
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
};

const shownArguments = ({ call }: TranscriptCall): string => {
  if (call.malformed) return call.malformed.text;
  return call.written === undefined ? JSON.stringify(call.arguments, null, 2) : argumentsText(call);
};

/** What is not in a document; undefined where it holds all that was said. */
export const leftOutText = (events: readonly Event[]): string | undefined => {
  const text = setAsideText(events);
  return text && `${text} They are not in this document; the formats json and jsonl hold them.`;
};

// Markdown.

/** A fence that the text cannot close. */
const fenced = (text: string, language = ''): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
};

const markdown = (events: readonly Event[]): string => {
  const { model, at } = factsOf(events);
  const parts = [`# ${titleOf(events).replaceAll(/[\\`*_[\]<>#]/g, '\\$&')}`, `${at} · ${model.replaceAll('`', '')}`];
  const aside = leftOutText(events);
  if (aside !== undefined) parts.push(`> ${aside}`);
  for (const entry of transcriptOf(events)) parts.push(...markdownEntry(entry));
  return `${parts.join('\n\n')}\n`;
};

/** The words of a failure are a model's or a stranger's: they stay on their line and are no markup. */
const plainLine = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*[\]<>#]/g, '\\$&');

const SPEAKERS = { user: 'User', assistant: 'Assistant', halter: 'halter, in the place of an answer' };

const markdownEntry = (entry: TranscriptEntry): string[] => {
  if (entry.kind === 'note') return [`> ${entry.text.replaceAll(/\s+/g, ' ')}`];
  if (entry.kind === 'user') {
    return ['## User', entry.text, ...entry.images.map(({ mime_type }) => `*(an image, ${mime_type})*`)];
  }
  const parts = [`## ${SPEAKERS[speakerOf(entry)]}`];
  if (entry.text !== '') parts.push(entry.text);
  for (const made of entry.calls) {
    parts.push(`**[Tool: ${made.call.name.replaceAll(/[*`]/g, '')}]**`);
    parts.push(fenced(shownArguments(made), 'json'));
    parts.push(`Status: ${plainLine(statusOf(made.result, made.unended))}`);
    parts.push('Result:', fenced(made.result?.data ?? '(none)'));
    if (made.result && timeTaken(made.result) !== undefined) parts.push(executionTime(made.result));
  }
  return parts;
};

// HTML.

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
// Characters that reorder a line or cannot be seen would let a text look like another one.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[&<>"']/g, (character) => ESCAPES[character] as string)
    .replaceAll(HIDDEN, escapeCharacter);

const STYLE = `
:root{color-scheme:light dark;--ink:light-dark(#1c1c1c,#e4e4e4);--quiet:light-dark(#6a6a6a,#9a9a9a);--line:light-dark(#dcdcdc,#3a3a3a);--ground:light-dark(#fff,#171717);--block:light-dark(#f5f5f5,#222);--blue:light-dark(#2257c4,#7aa7ff)}
body{margin:0 auto;max-width:46rem;padding:2rem 1rem 4rem;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
h1{font-size:1.4rem;line-height:1.3;margin:0}
header p,.note,summary span{color:var(--quiet)}
section{border-top:1px solid var(--line);padding:.9rem 0 .3rem}
h2{font-size:.8rem;font-weight:600;margin:0;color:var(--quiet)}
.text,pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.35rem 0 .6rem}
pre{background:var(--block);border-radius:4px;padding:.6rem .8rem;font:13px/1.5 ui-monospace,monospace;max-height:28rem;overflow:auto}
details{border-left:3px solid var(--blue);padding-left:.8rem;margin:.5rem 0}
details.thought{border-color:var(--line)}
details.failed{border-color:#c0392b}
summary{cursor:pointer;font:14px/1.6 ui-monospace,monospace}
img{max-width:100%}
`;

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const html = (events: readonly Event[]): string => {
  const { model, at } = factsOf(events);
  const title = escaped(titleOf(events));
  const aside = leftOutText(events);
  // The policy says what the page is anyway: nothing is loaded and nothing runs, whatever stands in the texts.
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${title}</h1><p>${at} · ${escaped(model)}</p></header>
<main>
${aside === undefined ? '' : `<p class="note">${escaped(aside)}</p>\n`}${transcriptOf(events).map(htmlEntry).join('\n')}
</main>
</body>
</html>
`;
};

const htmlEntry = (entry: TranscriptEntry): string => {
  if (entry.kind === 'note') return `<section><p class="note">${escaped(entry.text)}</p></section>`;
  if (entry.kind === 'user') {
    const images = entry.images.map(({ mime_type, data_base64 }) =>
      IMAGE_TYPES.has(mime_type) && BASE64.test(data_base64)
        ? `<p><img alt="an image" src="data:${mime_type};base64,${data_base64}"></p>`
        : '<p class="note">(an image that cannot be shown)</p>',
    );
    return `<section><h2>User</h2><div class="text">${escaped(entry.text)}</div>${images.join('')}</section>`;
  }
  const thought =
    entry.reasoning.trim() === ''
      ? ''
      : `<details class="thought"><summary>Thoughts</summary><pre>${escaped(entry.reasoning)}</pre></details>`;
  const text = entry.text === '' ? '' : `<div class="text">${escaped(entry.text)}</div>`;
  return `<section><h2>${SPEAKERS[speakerOf(entry)]}</h2>${thought}${text}${entry.calls.map(htmlCall).join('')}</section>`;
};

const htmlCall = (made: TranscriptCall): string => {
  const failed = made.result?.success === true ? '' : ' class="failed"';
  const data = made.result?.data ?? '';
  const output = data === '' ? '' : `<pre>${escaped(data)}</pre>`;
  const status = escaped(statusOf(made.result, made.unended));
  const time =
    made.result && timeTaken(made.result) !== undefined ? `<p class="note">${executionTime(made.result)}</p>` : '';
  const title = `[Tool: ${escaped(made.call.name)}] <span>Status: ${status}</span>`;
  return `<details${failed}><summary>${title}</summary><pre>${escaped(shownArguments(made))}</pre>${output}${time}</details>`;
};
