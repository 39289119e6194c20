/** Where a database is. The address holds a password, so only what `text` says of it may be shown. */
import { failure, type Outcome, succeed } from '../../core/outcome.ts';

export type DatabaseAddress = {
  /** The whole address, for the driver alone. */
  readonly url: string;
  /** Host and name, for a person. */
  readonly text: string;
  /** On this machine: a Unix socket or the loopback interface. */
  readonly isLocal: boolean;
  /** Absent for a Unix socket. */
  readonly host?: string;
  readonly port: number;
};

const DEFAULT_PORT = '5432';
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

const TLS_MODES: readonly string[] = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
/** The driver checks the certificate for all of these, and warns each process of the names that say less. */
const CHECKED_FULLY = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/g;

export const parseAddress = (url: string): Outcome<DatabaseAddress> => {
  const wrong = failure(
    'validation_failed',
    'The address of the database is not one such as postgres://user:password@host:5432/name. Correct it (--database, HALTER_DATABASE_URL or the setting database). It is not shown here, since it may hold a password.',
  );
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) return wrong;
  const { hostname, port, pathname, searchParams } = new URL(url);
  // An empty one would mean none, and one that nobody knows what the driver likes.
  if (searchParams.getAll('sslmode').some((mode) => !TLS_MODES.includes(mode))) {
    return failure(
      'validation_failed',
      `The sslmode in the address of the database is none of ${TLS_MODES.join(', ')}. Correct it (--database, HALTER_DATABASE_URL or the setting database).`,
    );
  }
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  const name = pathname.slice(1) || 'postgres';
  const isSocket = host === '' || host.startsWith('/');
  return succeed({
    url: searchParams.has('uselibpqcompat') ? url : url.replace(CHECKED_FULLY, '$1verify-full'),
    text: `PostgreSQL at ${isSocket ? host || 'localhost' : `${host}:${port || DEFAULT_PORT}`}/${name}`,
    isLocal: isSocket || LOOPBACK.test(host),
    port: Number(port || DEFAULT_PORT),
    ...(isSocket ? {} : { host }),
  });
};
