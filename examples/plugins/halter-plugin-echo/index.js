// A provider: `halter run --model echo/parrot "hello"`. A real one would ask a server through `options.network`.
const MODEL = { id: 'parrot', context_length: 4096 };

const textOf = (content) =>
  typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('');

const createEcho = () => ({
  name: 'echo',
  endpoint: 'in this process',
  async stream(request, emit) {
    const heard = textOf(request.messages.findLast(({ role }) => role === 'user')?.content ?? '');
    emit({ type: 'text_delta', delta: `You said: ${heard}` });
    return { ok: true, answer: { calls: [], finish: 'stop' } };
  },
  models: async () => ({ ok: true, models: [MODEL] }),
  describe: async (id) => ({ ok: true, model: { ...MODEL, id } }),
  close: async () => {},
});

export const plugin = { name: 'echo', providers: { echo: createEcho } };
