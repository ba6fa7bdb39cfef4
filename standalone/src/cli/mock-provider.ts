import { createMockProvider } from '../mock-provider/index.ts';
import { type Command, portOf } from './command.ts';
import { throwListenError } from './preflight.ts';

export const mockProvider: Command = {
  name: 'mock-provider',
  summary: 'imitates the APIs of OpenAI, Anthropic, Gemini, Cohere, Bedrock and Ollama, offline',
  options: {
    port: { value: 'PORT', summary: 'port to listen on; 0 for a free one', default: '8790' },
    host: { value: 'ADDRESS', summary: 'address to listen on', default: '127.0.0.1' },
  },
  examples: [
    { purpose: 'on the port that the examples name', line: 'gatehouse mock-provider' },
    { purpose: 'for tests of your own, on any free port', line: 'gatehouse mock-provider --port 0' },
  ],
  async run({ shell, options: { port = '', host = '' } }) {
    const mock = await createMockProvider({ port: portOf('port', port), host }).catch(throwListenError);
    shell.err(`The mock provider answers on ${mock.url}`);
    await new Promise<void>((resolve) => {
      const stopListening = shell.onStop(() => {
        stopListening();
        resolve();
      });
    });
    await mock.close();
    return 0;
  },
};
