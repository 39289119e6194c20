import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { createTheme } from '../theme.ts';
import { madePicture, PictureItem, pictureLine, pictureProtocol } from './picture-item.ts';

const ESCAPE = '\x1b';
/** What a picture could hold that speaks to a terminal. */
const HOSTILE = new TextEncoder().encode('\x1b[2J\x07\x1b\\picture'.repeat(700));
const picture = { bytes: HOSTILE, mimeType: 'image/png', width: 900, height: 540 };
const ROOM = { columns: 79, rows: 12 };

describe('a picture in the conversation', () => {
  it('is drawn where the terminal says that it can, and never through tmux or screen', () => {
    verifies('E3');
    expect(pictureProtocol({ TERM: 'xterm-kitty' })).toBe('kitty');
    expect(pictureProtocol({ TERM: 'xterm-ghostty' })).toBe('kitty');
    expect(pictureProtocol({ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' })).toBe('iterm2');
    expect(pictureProtocol({ TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' })).toBe('iterm2');
    expect(pictureProtocol({ TERM: 'xterm-256color', LC_TERMINAL: 'iTerm2' })).toBe('iterm2');
    for (const none of [
      {},
      { TERM: 'xterm-256color' },
      { TERM: 'linux' },
      { TERM: 'tmux-256color', KITTY_WINDOW_ID: '1' },
    ])
      expect(pictureProtocol(none)).toBeUndefined();
    expect(pictureProtocol({ TERM: 'xterm-kitty', TMUX: '/tmp/tmux-0/default' })).toBeUndefined();
  });

  it('is sent in pieces that the terminal takes, none of its bytes as they are, in the room that there is', () => {
    const line = pictureLine(picture, 'kitty', ROOM) ?? '';
    const sent = line.split(`${ESCAPE}_G`).slice(1);
    expect(sent.length).toBeGreaterThan(2);
    const payload = sent.map((piece) => /^[a-zA-Z0-9=,]*;([A-Za-z0-9+/=]*)\x1b\\/.exec(piece)?.[1] ?? '?');
    for (const piece of payload) expect(piece.length).toBeLessThanOrEqual(4_096);
    expect(Buffer.from(payload.join(''), 'base64')).toEqual(Buffer.from(HOSTILE));
    expect(sent[0]).toMatch(/^a=T,f=100,q=2,C=1,c=40,r=12,m=1;/);
    expect(sent.at(-1)).toMatch(/^q=2,m=0;/);
    expect(line.split('\r\n')).toHaveLength(13);
    const drawn = pictureLine(picture, 'iterm2', ROOM) ?? '';
    expect(drawn).toContain(`${ESCAPE}]1337;File=inline=1;width=40;height=12;preserveAspectRatio=1:`);
    expect(drawn.match(/\x07/g)).toHaveLength(1);
  });

  it('is a line alone where it is too large, of a form that the terminal does not take, or has no room', () => {
    expect(pictureLine({ ...picture, mimeType: 'image/jpeg' }, 'kitty', ROOM)).toBeUndefined();
    expect(pictureLine({ ...picture, mimeType: 'image/jpeg' }, 'iterm2', ROOM)).toBeDefined();
    expect(pictureLine({ ...picture, width: 0 }, 'kitty', ROOM)).toBeUndefined();
    expect(pictureLine(picture, 'kitty', { columns: 79, rows: 1 })).toBeUndefined();
    expect(pictureLine(picture, undefined, ROOM)).toBeUndefined();
    const item = new PictureItem('images/a\x1b[2J.png', undefined, () => 24);
    const view = { width: 79, theme: createTheme({ NO_COLOR: '1' }), now: 0, frame: 0 };
    expect(item.live(view).join('')).not.toContain('\x1b[2J');
    item.end(picture);
    expect(item.take(view)).toHaveLength(1);
  });

  it('is found in what generate_image says, and in nothing else', () => {
    expect(madePicture('{"path":"images/a.png","width":64,"height":32}')).toEqual({
      path: 'images/a.png',
      caption: 'images/a.png, 64 × 32',
    });
    for (const none of [null, '', 'null', '[]', '{"path":7}']) expect(madePicture(none)).toBeUndefined();
  });
});
