export { geminiChat, geminiChatStream } from './chat.ts';
export { geminiEmbed, geminiEmbedBatch } from './embed.ts';
export { geminiModels } from './models.ts';
