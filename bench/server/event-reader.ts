/** Reads a stream of server-sent events. */
export type SentEvent = { id?: string; type: string; data: Record<string, unknown> };

export async function* sentEvents(response: Response): AsyncGenerator<SentEvent> {
  if (response.body === null) return;
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = `${rest}${text}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      const [id, type, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
      if (type === undefined || data === undefined) continue;
      yield { type, data: JSON.parse(data) as Record<string, unknown>, ...(id === undefined ? {} : { id }) };
    }
  }
}
