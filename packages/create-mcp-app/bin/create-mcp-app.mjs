#!/usr/bin/env node
// Nothing is imported before the version is known to be new enough, and the syntax up to there is one that old versions parse.
var needed = [20, 19];
var found = process.versions.node.split('.').map(Number);
if (found[0] > needed[0] || (found[0] === needed[0] && found[1] >= needed[1])) {
  import('../dist/bundle/main.js');
} else {
  console.error(
    'create-mcp-app: Node.js ' +
      needed.join('.') +
      ' or newer is needed, this is ' +
      process.versions.node +
      ': https://nodejs.org',
  );
  process.exitCode = 1;
}
