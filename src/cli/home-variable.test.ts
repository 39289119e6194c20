import { describe, expect, it } from 'vitest';
import { correctHome } from './home-variable.ts';

const corrected = (environment: Record<string, string | undefined>): Record<string, string | undefined> => {
  expect(correctHome(environment, () => '/home/me')).toBeUndefined();
  return environment;
};

describe('the home folder that the environment names', () => {
  it.each(['', 'relative', './here', '~', '..'])('is that of the account where it is %j', (home) => {
    expect(corrected({ HOME: home })).toEqual({ HOME: '/home/me' });
  });

  it('is taken as it is where it is absolute or not set', () => {
    expect(corrected({ HOME: '/srv/home' })).toEqual({ HOME: '/srv/home' });
    expect(corrected({})).toEqual({});
  });

  it('is not set for a user without an account', () => {
    const environment = { HOME: '' };
    expect(correctHome(environment, () => undefined)).toBeUndefined();
    expect(environment).toEqual({});
  });

  it.runIf(process.platform === 'linux').each(['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME'])(
    'cannot be a folder of the kernel: %s',
    (name) => {
      expect(correctHome({ HOME: '/home/me', [name]: '/proc' })).toBe(
        `${name} is /proc, where no files can be kept. Set it to a folder of yours.`,
      );
      expect(correctHome({ HOME: '/home/me', [name]: '/sys/kernel' })).toContain('/sys/kernel');
    },
  );
});
