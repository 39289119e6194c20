// A dialect, for a model that was trained to write `CALL {"name": …, "arguments": …} OVER`. Chosen by
// `halter config set dialect shout`; how tools are offered and results told may be said as well, in `prompt`.
export const plugin = {
  name: 'shout',
  dialects: [
    {
      format: { name: 'shout', calls: [{ open: ['CALL '], close: [' OVER'], bodies: [{ kind: 'json' }] }] },
      prompt: {
        offer: (tools) =>
          `These tools are there:\n${JSON.stringify(tools)}\nTo call one, write: CALL {"name": …, "arguments": {…}} OVER`,
        calls: (calls) =>
          calls.map(({ name, arguments: args }) => `CALL ${JSON.stringify({ name, arguments: args })} OVER`).join('\n'),
        result: ({ name, content }) => `${name} ANSWERS ${content} OVER`,
      },
    },
  ],
};
