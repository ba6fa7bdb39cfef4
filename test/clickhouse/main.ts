/** `check`: exit code 0 when the engine is installed or can be; `install`: installs it. */
import { canInstall, installEngine } from './install.ts';

const [command] = process.argv.slice(2);
if (command === 'check') process.exitCode = (await canInstall()) ? 0 : 1;
else if (command === 'install') await installEngine();
else {
  console.error('check or install?');
  process.exitCode = 2;
}
