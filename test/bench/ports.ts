import { connect } from 'node:net';

export { freePort } from '@gatehouse/test/kit';

/** Whether connections to a port are accepted of an address, by default of the loopback. */
export function isListening(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const answer = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });
}
