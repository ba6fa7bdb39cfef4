/** `check`: exit code 0 when the clients are installed or can be; `install`: installs them. */
import { canInstall, installClients } from './install.ts';

const [command] = process.argv.slice(2);
if (command === 'check') process.exitCode = (await canInstall()) ? 0 : 1;
else if (command === 'install') await installClients(console.log);
else {
  console.error('check or install?');
  process.exitCode = 2;
}
