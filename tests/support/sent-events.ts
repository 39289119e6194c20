/** Reads a stream of server-sent events, for tests and for the bench of the server. */
export type SentEvent = { id?: string; type: string; data: Record<string, unknown> };

/** The events of a stream, one after the other, until it ends or is left. */
export async function* sentEvents(response: Response): AsyncGenerator<SentEvent> {
  if (response.body === null) return;
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = `${rest}${text}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      );
      const [id, type = 'message', data] = [fields.get('id'), fields.get('event'), fields.get('data')];
      if (data === undefined) continue;
      yield { type, data: JSON.parse(data) as Record<string, unknown>, ...(id === undefined ? {} : { id }) };
    }
  }
}

export const eventsUntil = async (response: Response, last: string): Promise<SentEvent[]> => {
  const events: SentEvent[] = [];
  for await (const event of sentEvents(response)) {
    events.push(event);
    if (event.type === last) break;
  }
  return events;
};
