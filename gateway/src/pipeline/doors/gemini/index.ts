export { geminiChat, geminiChatStream } from './chat.ts';
export { geminiCount } from './count-tokens.ts';
export { geminiEmbed, geminiEmbedBatch } from './embed.ts';
export { geminiModels } from './models.ts';
