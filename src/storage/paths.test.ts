import envPaths from 'env-paths';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { halterPaths } from './paths.ts';

describe('where halter keeps its files', () => {
  it('is XDG on Linux, by the environment it is given', () => {
    verifies('Z10');
    expect(halterPaths({ HOME: '/home/me' }, 'linux')).toEqual({
      config: '/home/me/.config/halter',
      data: '/home/me/.local/share/halter',
      cache: '/home/me/.cache/halter',
      sessions: '/home/me/.local/share/halter/sessions',
      undo: '/home/me/.local/share/halter/undo',
    });
    const moved = { HOME: '/home/me', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: 'relative', XDG_CACHE_HOME: '' };
    expect(halterPaths(moved, 'linux')).toMatchObject({
      config: '/c/halter',
      data: '/home/me/.local/share/halter',
      cache: '/home/me/.cache/halter',
    });
  });

  it.each(['', 'relative', '.', '~'])('is in the home of the account where HOME is %j', (home) => {
    expect(halterPaths({ HOME: home }, 'linux')).toEqual(halterPaths({}, 'linux'));
    expect(halterPaths({ HOME: home }, 'darwin')).toEqual(halterPaths({}, 'darwin'));
  });

  it('is where a person of macOS or Windows looks', () => {
    verifies('U1');
    expect(halterPaths({ HOME: '/Users/me' }, 'darwin')).toEqual({
      config: '/Users/me/Library/Preferences/halter',
      data: '/Users/me/Library/Application Support/halter',
      cache: '/Users/me/Library/Caches/halter',
      sessions: '/Users/me/Library/Application Support/halter/sessions',
      undo: '/Users/me/Library/Application Support/halter/undo',
    });
    const windows = { APPDATA: 'C:\\r', LOCALAPPDATA: 'C:\\l' };
    expect(halterPaths(windows, 'win32')).toEqual({
      config: 'C:\\r\\halter\\Config',
      data: 'C:\\l\\halter\\Data',
      cache: 'C:\\l\\halter\\Cache',
      sessions: 'C:\\l\\halter\\Data\\sessions',
      undo: 'C:\\l\\halter\\Data\\undo',
    });
  });

  it('agrees with env-paths on the system at hand', () => {
    verifies('U1');
    const { config, data, cache } = envPaths('halter', { suffix: '' });
    expect(halterPaths(process.env, process.platform)).toMatchObject({ config, data, cache });
  });
});
