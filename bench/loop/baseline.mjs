// What the loop costs when it is written by hand: fetch, a reader of server-sent events, no validation, no permissions.
const schema = ({ name, description, parameters }) => ({
  type: 'function',
  function: { name, description, parameters },
});

/** Reads one streamed answer. */
const read = async (response) => {
  const decoder = new TextDecoder();
  const calls = [];
  let text = '';
  let rest = '';
  for await (const bytes of response.body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const delta = JSON.parse(line.slice(6)).choices[0]?.delta;
      if (delta?.content) text += delta.content;
      for (const part of delta?.tool_calls ?? []) {
        calls[part.index] ??= { id: part.id, type: 'function', function: { name: part.function.name, arguments: '' } };
        calls[part.index].function.arguments += part.function.arguments;
      }
    }
  }
  return { text, calls };
};

export const load = async ({ baseURL, tools }) => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return async ({ model, system, prompt }) => {
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: prompt },
    ];
    for (;;) {
      const body = JSON.stringify({ model, stream: true, messages, tools: tools.map(schema) });
      const headers = { 'content-type': 'application/json' };
      const { text, calls } = await read(await fetch(`${baseURL}/chat/completions`, { method: 'POST', headers, body }));
      if (calls.length === 0) return text;
      messages.push({ role: 'assistant', content: null, tool_calls: calls });
      const results = await Promise.all(
        calls.map(({ function: { name, arguments: args } }) => byName.get(name).execute(JSON.parse(args))),
      );
      for (const [index, result] of results.entries()) {
        messages.push({ role: 'tool', tool_call_id: calls[index].id, content: JSON.stringify(result) });
      }
    }
  };
};
