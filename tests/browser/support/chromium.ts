/** The browser that the system has. Nothing of it reaches the network by itself. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { PAGES_OF_CHROMIUM } from '../../../conformance/attacks/chromium.ts';

export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
export const NO_CHROMIUM = 'Chromium is not installed: apt-get install chromium';

/** Playwright's own list. The switch counts once, so it is repeated here. */
const DISABLED_BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

let shared: Promise<Browser> | undefined;

/**
 * One browser for all scenes of a process: the files of tests/browser run one after another in few processes. It ends with
 * the process; its contexts share nothing.
 */
export const sharedChromium = async (): Promise<Browser> => {
  const running = await shared;
  if (running?.isConnected() !== true) shared = launchChromium();
  return shared as Promise<Browser>;
};

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM ?? '',
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-default-apps',
      '--disable-domain-reliability',
      '--disable-sync',
      '--no-first-run',
      '--no-pings',
      '--metrics-recording-only',
      `--disable-features=${[...DISABLED_BY_PLAYWRIGHT, ...PAGES_OF_CHROMIUM].join(',')}`,
    ],
  });
