/** The inside of `parser-thread.ts`. */
import { parentPort } from 'node:worker_threads';
import { type Language, languageNamed } from './languages.ts';
import { outlineOf } from './parser.ts';
import { type ParseReply, type ParseRequest, packOutline } from './parser-thread.ts';

parentPort?.on('message', async ({ id, language, text }: ParseRequest) => {
  const outline = await outlineOf(languageNamed(language) as Language, text);
  const reply: ParseReply = { id, outline: outline && packOutline(outline) };
  parentPort?.postMessage(reply, reply.outline ? [reply.outline.references.buffer as ArrayBuffer] : []);
});
