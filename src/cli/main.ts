#!/usr/bin/env node
// The bin. It only finds out whether this Node is new enough, so that an old one gets a sentence and not a syntax
// error: this file and reexecute.ts are written in what Node 12.20 can read.
if (Number(process.versions.node.split('.')[0]) >= 24) {
  import('./begin.ts').then((begin) => begin.main());
} else {
  import('./reexecute.ts').then((reexecute) => reexecute.main());
}
