# The context is written by `node images/main.ts context`; the root file system is that of the archives beside it.
FROM scratch
ADD root.tar /
COPY standalone.js /app/standalone.js
ENV PATH=/usr/local/bin:/usr/bin:/bin
ENV NODE_ENV=production
USER 65532:65532
ENTRYPOINT ["/usr/bin/node", "/app/standalone.js"]
