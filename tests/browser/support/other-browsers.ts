/** Firefox and WebKit as the system has them, each driven by the protocol that it speaks itself. */
import { existsSync } from 'node:fs';
import { launchFirefox } from './other-browsers/firefox.ts';
import { launchWebKit, WEBKIT_FILES } from './other-browsers/webkit.ts';

/** A source of input and what it does, as WebDriver and WebDriver BiDi both have it. */
export type Actions = readonly Readonly<Record<string, unknown>>[];

/** As much of a browser as a walk through the page needs. */
export type Driver = {
  open(url: string): Promise<void>;
  /** As near to this size as the browser allows. */
  resize(width: number, height: number): Promise<void>;
  /** What the expression comes to, as JSON has it; a promise is waited for. */
  evaluate(expression: string): Promise<unknown>;
  perform(actions: Actions): Promise<void>;
  close(): Promise<void>;
};

export type OtherBrowser = {
  name: string;
  /** Undefined: it is installed. */
  missing: string | undefined;
  /** `home`: a folder for what it keeps. */
  launch(home: string): Promise<Driver>;
};

const FIREFOX = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);

export const OTHER_BROWSERS: readonly OtherBrowser[] = [
  {
    name: 'Firefox',
    missing: FIREFOX === undefined ? 'Firefox is not installed: apt-get install firefox-esr' : undefined,
    launch: (home) => launchFirefox(FIREFOX ?? '', home),
  },
  {
    name: 'WebKit',
    missing: WEBKIT_FILES.every(existsSync)
      ? undefined
      : 'WebKit is not installed: apt-get install webkit2gtk-driver xvfb',
    launch: launchWebKit,
  },
];
