#!/usr/bin/env node
'use strict';
/**
 * Starts the command line on a Node that can run it: the one that the packages bring, or else the one of the machine. Any Node has
 * to be able to read this file, however old.
 */
const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { engines } = require('../package.json');

const SOURCE = path.join(__dirname, '../src/main.ts');
const BUNDLE = path.join(__dirname, '../dist/gatehouse.js');
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The Node of npm's platform package. */
function ownNode() {
  for (const prefix of ['node', 'node-bin']) {
    try {
      const manifest = require.resolve(`${prefix}-${process.platform}-${process.arch}/package.json`);
      return path.join(path.dirname(manifest), require(manifest).bin.node);
    } catch {
      // not for this platform, or not installed
    }
  }
  return undefined;
}

function isNewEnough(version, needed) {
  const [major, minor] = version.replace('v', '').split('.').map(Number);
  const [leastMajor, leastMinor] = needed.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

function fail(sentence) {
  process.stderr.write(`gatehouse: ${sentence}\n`);
  process.exit(1);
}

function main() {
  const isCheckout = fs.existsSync(SOURCE);
  if (isCheckout && !fs.existsSync(path.join(__dirname, '../../node_modules'))) {
    fail('the packages are not installed; run npm ci in the checkout first');
  }
  const needed = engines.node.replace('>=', '');
  const own = ownNode();
  if (own === undefined && !isNewEnough(process.version, needed)) {
    fail(`needs Node ${needed} or newer, and this is ${process.version}`);
  }
  const program = isCheckout ? ['--conditions=@gatehouse/source', SOURCE] : [BUNDLE];
  const child = spawn(own || process.execPath, program.concat(process.argv.slice(2)), { stdio: 'inherit' });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`cannot start ${own || process.execPath}: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of SIGNALS) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

main();
