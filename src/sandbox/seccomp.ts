/**
 * A filter of system calls for what runs inside, in the kernel's classic BPF. Refused is what could reach other processes,
 * keys and mounts, or parts of the kernel that ordinary work has no use for. What is not named is allowed.
 */

type Machine = { audit: number; calls: Readonly<Record<string, number>>; highest: number };

const numbers = (text: string): Record<string, number> =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s+/)
      .map((pair) => [pair.split('=')[0] ?? '', Number(pair.split('=')[1])]),
  );

const SAME_EVERYWHERE = `io_uring_setup=425 io_uring_enter=426 io_uring_register=427 open_tree=428 move_mount=429 fsopen=430 fsconfig=431
  fsmount=432 fspick=433 clone3=435 pidfd_getfd=438 mount_setattr=442 quotactl_fd=443 fchmodat2=452 open_tree_attr=467`;
const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    // Above it lie the calls of the x32 form, which are the same under other numbers.
    highest: 0x3fffffff,
    calls:
      numbers(`${SAME_EVERYWHERE} ptrace=101 process_vm_readv=310 process_vm_writev=311 bpf=321 perf_event_open=298 keyctl=250
      add_key=248 request_key=249 mount=165 umount2=166 pivot_root=155 chroot=161 setns=308 unshare=272 clone=56 userfaultfd=323
      open_by_handle_at=304 kexec_load=246 kexec_file_load=320 init_module=175 finit_module=313 delete_module=176 swapon=167
      swapoff=168 reboot=169 acct=163 quotactl=179 syslog=103 settimeofday=164 clock_settime=227 clock_adjtime=305 adjtimex=159
      iopl=172 ioperm=173 lookup_dcookie=212 vhangup=153 kcmp=312 fanotify_init=300 socket=41 ioctl=16 chmod=90 fchmod=91
      fchmodat=268`),
  },
  arm64: {
    audit: 0xc00000b7,
    highest: 0xffffffff,
    calls:
      numbers(`${SAME_EVERYWHERE} ptrace=117 process_vm_readv=270 process_vm_writev=271 bpf=280 perf_event_open=241 keyctl=219
      add_key=217 request_key=218 mount=40 umount2=39 pivot_root=41 chroot=51 setns=268 unshare=97 clone=220 userfaultfd=282
      open_by_handle_at=265 kexec_load=104 kexec_file_load=294 init_module=105 finit_module=273 delete_module=106 swapon=224
      swapoff=225 reboot=142 acct=89 quotactl=60 syslog=116 settimeofday=170 clock_settime=112 clock_adjtime=266 adjtimex=171
      lookup_dcookie=18 vhangup=58 kcmp=272 fanotify_init=262 socket=198 ioctl=29 fchmod=52 fchmodat=53`),
  },
};

/** Every namespace: of users, mounts, cgroups, names, messages, processes, networks and time. */
const NAMESPACES = 0x10000000 | 0x20000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000 | 0x80;
const CLONE_NAMESPACES = NAMESPACES & ~0x80;
const SET_USER_ID = 0o4000;
const TERMINAL_INPUT = [0x5412, 0x541c];
const FAMILY = { unix: 1, ipv4: 2, ipv6: 10, netlink: 16 };
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const LOAD = 0x20;
const EQUAL = 0x15;
const GREATER = 0x25;
const ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const refuse = (errno: number): number => 0x00050000 | errno;
const CALL = 0;
const AUDIT = 4;
/** The lower half of an argument; the machines here are little-endian. */
const argument = (index: number): number => 16 + index * 8;

type Step = { code: number; onTrue: number; onFalse: number; value: number };
const step = (code: number, value: number, onTrue = 0, onFalse = 0): Step => ({ code, onTrue, onFalse, value });

/** `body` for one call; what it does not decide is allowed. */
const forCall = (call: number | undefined, body: readonly Step[]): Step[] =>
  call === undefined ? [] : [step(EQUAL, call, 0, body.length + 1), ...body, step(RETURN, ALLOW)];
const refuseAlways = (call: number | undefined, errno: number): Step[] => forCall(call, [step(RETURN, refuse(errno))]);
const refuseBits = (call: number | undefined, index: number, bits: number): Step[] =>
  forCall(call, [step(LOAD, argument(index)), step(ANY_BIT, bits, 0, 1), step(RETURN, refuse(EPERM))]);
const refuseValues = (call: number | undefined, index: number, values: readonly number[]): Step[] =>
  forCall(call, [
    step(LOAD, argument(index)),
    ...values.flatMap((value) => [step(EQUAL, value, 0, 1), step(RETURN, refuse(EPERM))]),
  ]);
const allowValues = (call: number | undefined, index: number, values: readonly number[], errno: number): Step[] =>
  forCall(call, [
    step(LOAD, argument(index)),
    ...values.flatMap((value) => [step(EQUAL, value, 0, 1), step(RETURN, ALLOW)]),
    step(RETURN, refuse(errno)),
  ]);

const JUDGED = new Set(['clone', 'clone3', 'unshare', 'socket', 'ioctl', 'chmod', 'fchmod', 'fchmodat', 'fchmodat2']);

/** Undefined on machines whose numbers are not known here. `unixSockets`: the command may make sockets that have a path. */
export const seccompFilter = (
  { unixSockets }: { unixSockets: boolean },
  architecture: string = process.arch,
): Buffer | undefined => {
  const machine = MACHINES[architecture];
  if (machine === undefined) return undefined;
  const { calls } = machine;
  const families = [FAMILY.ipv4, FAMILY.ipv6, FAMILY.netlink, ...(unixSockets ? [FAMILY.unix] : [])];
  const steps = [
    step(LOAD, AUDIT),
    step(EQUAL, machine.audit, 1, 0),
    step(RETURN, KILL_PROCESS),
    step(LOAD, CALL),
    step(GREATER, machine.highest, 0, 1),
    step(RETURN, refuse(ENOSYS)),
    ...Object.entries(calls).flatMap(([name, call]) => (JUDGED.has(name) ? [] : refuseAlways(call, EPERM))),
    // The C library falls back to clone, whose flags can be looked at.
    ...refuseAlways(calls['clone3'], ENOSYS),
    ...refuseBits(calls['clone'], 0, CLONE_NAMESPACES),
    ...refuseBits(calls['unshare'], 0, NAMESPACES),
    ...allowValues(calls['socket'], 0, families, EAFNOSUPPORT),
    ...refuseValues(calls['ioctl'], 1, TERMINAL_INPUT),
    ...refuseBits(calls['chmod'], 1, SET_USER_ID),
    ...refuseBits(calls['fchmod'], 1, SET_USER_ID),
    ...refuseBits(calls['fchmodat'], 2, SET_USER_ID),
    ...refuseBits(calls['fchmodat2'], 2, SET_USER_ID),
    step(RETURN, ALLOW),
  ];
  const bytes = Buffer.alloc(steps.length * 8);
  for (const [index, { code, onTrue, onFalse, value }] of steps.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(onTrue, index * 8 + 2);
    bytes.writeUInt8(onFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
};
