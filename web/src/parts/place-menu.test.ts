import { describe, expect, it } from 'vitest';
import { placeMenu } from './place-menu.ts';

const WINDOW = { left: 0, top: 0, right: 360, bottom: 640 };
const at = (left: number, top: number) => ({ left, top, right: left + 40, bottom: top + 40 });
const LIST = { width: 180, height: 300 };

describe('a list that a button opens', () => {
  it.each([
    ['stands below its button', at(20, 100), 'down', 'left', { left: 20, top: 144 }],
    ['stands above its button', at(20, 400), 'up', 'left', { left: 20, top: 96 }],
    ['turns up where there is no room below', at(20, 500), 'down', 'left', { left: 20, top: 196 }],
    ['turns down where there is no room above', at(20, 100), 'up', 'left', { left: 20, top: 144 }],
    ['ends with its button', at(300, 100), 'down', 'right', { left: 160, top: 144 }],
    ['leaves no window at the right', at(300, 100), 'down', 'left', { left: 172, top: 144 }],
    ['leaves no window at the left', at(20, 100), 'down', 'right', { left: 8, top: 144 }],
  ] as const)('%s', (_, button, side, align, place) => {
    expect(placeMenu(button, LIST, WINDOW, { side, align })).toEqual(place);
  });

  it('covers its button where it fits neither above nor below, and begins in sight where it is larger than all', () => {
    const short = { left: 0, top: 0, right: 740, bottom: 340 };
    expect(placeMenu(at(20, 150), LIST, short, { side: 'down', align: 'left' }).top).toBe(32);
    expect(placeMenu(at(20, 150), { width: 900, height: 400 }, short, { side: 'down', align: 'left' })).toEqual({
      left: 8,
      top: 8,
    });
  });
});
