// A tool. `npm install --prefix ~/.config/halter/plugins halter-plugin-dice`, then `halter config set plugins halter-plugin-dice`.
import { defineTool } from 'halter';

export const plugin = {
  name: 'dice',
  tools: [
    defineTool({
      name: 'roll_dice',
      description: 'Roll dice and return what they show.',
      risk: 'safe',
      polling: true,
      parameters: {
        type: 'object',
        properties: { count: { type: 'integer', minimum: 1, maximum: 100, default: 1 } },
      },
      run: ({ count }) => Array.from({ length: Number(count) }, () => 1 + Math.floor(Math.random() * 6)),
    }),
  ],
};
