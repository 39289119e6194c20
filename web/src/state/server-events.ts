/** Server-sent events out of a response: the browser's own reader cannot show the page's key. */
export type ServerEvent = {
  /** `message` where the server names none. */
  type: string;
  data: string;
  /** Of the last event that had one; empty before. */
  id: string;
};

const END = '\n\n';

/** Takes text in pieces as it comes and hands on each whole event. */
export const createEventReader = (emit: (event: ServerEvent) => void): ((piece: string) => void) => {
  let pending: string[] = [];
  let id = '';
  const take = (block: string): void => {
    let type = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      if (line.startsWith('data: ')) data.push(line.slice(6));
      else if (line.startsWith('event: ')) type = line.slice(7);
      else if (line.startsWith('id: ')) id = line.slice(4);
    }
    if (data.length > 0) emit({ type, data: data.join('\n'), id });
  };
  return (piece) => {
    if (piece === '') return;
    // A line feed at the end of the piece before may be the first half of an end.
    const last = pending.at(-1) ?? '';
    const isSplit = last.endsWith('\n') && piece.startsWith('\n');
    if (!isSplit && !piece.includes(END)) {
      pending.push(piece);
      return;
    }
    const blocks = (pending.join('') + piece).split(END);
    pending = [blocks.pop() ?? ''];
    for (const block of blocks) take(block);
  };
};

export type EventStream = { close(): void };

/** A page without the token is refused until it is opened again: its streams are asked for seldom. */
export const REFUSED_MS = 30_000;

/** `onEnd` is called once when nothing more comes, unless the stream was closed here, with the status of the answer. */
export const openEvents = (
  send: typeof fetch,
  path: string,
  { onEvent, onEnd }: { onEvent(event: ServerEvent): void; onEnd(status: number | undefined): void },
): EventStream => {
  const over = new AbortController();
  let status: number | undefined;
  const read = async (): Promise<void> => {
    const response = await send(path, { headers: { accept: 'text/event-stream' }, signal: over.signal });
    status = response.status;
    if (!response.ok || response.body === null) return;
    const push = createEventReader(onEvent);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || over.signal.aborted) return;
      push(value);
    }
  };
  void read()
    .catch(() => undefined)
    .then(() => {
      if (!over.signal.aborted) onEnd(status);
    });
  return { close: () => over.abort() };
};
