/** What a host name means before any connection: this machine or another one. */

const LOOPBACK_V4 = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;
/** `::ffff:127.x.y.z` as the URL parser writes it: the first byte of the address is 7f. */
const LOOPBACK_MAPPED = /^::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}$/;

/** For a host as `URL` gives it: numbers are already in their plain form there. */
export const isLoopbackHost = (hostname: string): boolean => {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    LOOPBACK_V4.test(host) ||
    LOOPBACK_MAPPED.test(host)
  );
};

/** For an address that a name was resolved to. */
export const isLoopbackAddress = (address: string): boolean =>
  LOOPBACK_V4.test(address) || address === '::1' || /^::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
