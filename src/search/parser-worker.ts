/** The inside of `parser-thread.ts`. */
import { parentPort } from 'node:worker_threads';
import { type Language, languageNamed } from './languages.ts';
import { outlineOf } from './parser.ts';
import { type ParseReply, type ParseRequest, packOutline } from './parser-thread.ts';

parentPort?.on('message', async (request: ParseRequest) => {
  if (request.type === 'end') {
    // Nothing else keeps the thread alive, so it ends by itself.
    parentPort?.close();
    return;
  }
  const outline = await outlineOf(languageNamed(request.language) as Language, request.text);
  const reply: ParseReply = { id: request.id, outline: outline && packOutline(outline) };
  parentPort?.postMessage(reply, reply.outline ? [reply.outline.references.buffer as ArrayBuffer] : []);
});
