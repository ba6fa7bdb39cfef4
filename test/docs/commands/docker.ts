/**
 * `docker run` without a container: the program of our standalone image with the environment that the container would have, at the
 * address and port that it publishes.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { imageConfigOf } from '../../../images/index.ts';
import { programArgs } from '../../kit/programs.ts';

const [command, ...args] = process.argv.slice(2);
const { values, tokens } = parseArgs({
  args,
  options: {
    rm: { type: 'boolean' },
    publish: { type: 'string' },
    env: { type: 'string', multiple: true, default: [] },
  },
  allowPositionals: true,
  tokens: true,
});
const [image, ...given] = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
const [address, hostPort, port] = values.publish?.split(':') ?? [];
if (
  command !== 'run' ||
  image !== 'localhost/gatehouse-standalone:dev' ||
  port === undefined ||
  address === undefined
) {
  throw new Error('only docker run --publish ADDRESS:PORT:PORT of the standalone image is known here');
}
const { env: own, cmd = [] } = imageConfigOf('standalone');
const passed = values.env.map((item) => {
  const [name = '', value = process.env[name] ?? ''] = item.split('=');
  return [name, value];
});
// What stands for the network of the container: its addresses, its trust and its way out.
const network = Object.fromEntries(
  ['HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS', 'GATEHOUSE_ADMIN_PORT'].map((name) => [name, process.env[name]]),
);
const child = spawn(process.execPath, [...programArgs('standalone'), ...(given.length > 0 ? given : cmd)], {
  cwd: mkdtempSync(join(tmpdir(), 'gatehouse-container-')), // its working folder
  env: { ...own, ...Object.fromEntries(passed), ...network, HOST: address, PORT: hostPort },
  stdio: 'inherit',
});
child.on('exit', (code) => process.exit(code ?? 1));
