/** How large a model is and whether it fits, in words. */
import type { Fit } from '../agent/models/advise/machine.ts';

export const gigabytes = (bytes: number): string =>
  bytes < 1e9 ? `${Math.max(1, Math.round(bytes / 1e6))} MB` : `${(bytes / 1e9).toFixed(1)} GB`;

export const FITS: Readonly<Record<Fit, string>> = {
  yes: 'fits',
  tight: 'fits with other programs closed',
  no: 'too large',
};
