import { connect, type Socket } from 'node:net';

/** What happened to one request. */
export interface Answered {
  readonly ok: boolean;
  /** The peer takes nothing more on this connection. */
  readonly last: boolean;
}

/**
 * A keep-alive connection that sends prepared bytes and reads answers framed by content-length; nothing is parsed beyond
 * that, so that the generator stays cheaper than what it measures.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #onAnswer: (connection: Connection, answered: Answered) => void;
  #left = 0;
  #ok = false;
  #last = false;
  #head = '';

  private constructor(socket: Socket, onAnswer: (connection: Connection, answered: Answered) => void) {
    this.#socket = socket;
    this.#onAnswer = onAnswer;
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
  }

  /** Rejects when nothing listens there. `onLost`: the connection ended before it was closed here. */
  static open(
    { host, port }: { readonly host: string; readonly port: number },
    {
      onAnswer,
      onLost,
    }: { onAnswer(connection: Connection, answered: Answered): void; onLost(connection: Connection): void },
  ): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, host);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        socket.on('error', () => undefined); // 'close' follows
        const connection = new Connection(socket, onAnswer);
        socket.once('close', () => onLost(connection));
        resolve(connection);
      });
    });
  }

  send(request: Buffer): void {
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    if (this.#left > 0) this.#finish(bytes.length);
    else this.#readHead(bytes.toString('latin1'));
  }

  #readHead(text: string): void {
    this.#head += text;
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#head.slice(0, end);
    const bodyBytes = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    this.#ok = head.startsWith('200', 9); // after "HTTP/1.1 "
    this.#last = /\r\nconnection: *close/i.test(head);
    const inHand = this.#head.length - end - 4;
    this.#head = '';
    this.#left = bodyBytes;
    this.#finish(inHand);
  }

  #finish(bytes: number): void {
    this.#left -= bytes;
    if (this.#left === 0) this.#onAnswer(this, { ok: this.#ok, last: this.#last });
  }
}
