// Preloaded into a process: writes down every way out that anything in it tries, below every library.
import dgram from 'node:dgram';
import dns from 'node:dns';
import fs from 'node:fs';
import net from 'node:net';

const log = (what, where) => fs.appendFileSync(process.env.NETWORK_SPY_FILE, `${JSON.stringify({ what, where })}\n`);

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [first] = args;
  const options = Array.isArray(first) ? first[0] : typeof first === 'object' ? first : { port: first, host: args[1] };
  // With a path it is a pipe of this machine.
  if (!options.path) log('connect', `${options.host ?? 'localhost'}:${options.port}`);
  return connect.apply(this, args);
};
for (const owner of [dns, dns.promises]) {
  for (const name of Object.keys(owner)) {
    if (!/^(?:lookup|resolve)/.test(name) || typeof owner[name] !== 'function') continue;
    const original = owner[name];
    owner[name] = function (host, ...rest) {
      log('dns', String(host));
      return original.call(this, host, ...rest);
    };
  }
}
const { send } = dgram.Socket.prototype;
dgram.Socket.prototype.send = function (...args) {
  log('datagram', String(args.find((entry) => typeof entry === 'string')));
  return send.apply(this, args);
};
log('spy', 'is there');
