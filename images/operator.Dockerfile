# `node images/main.ts context` writes the build context, with the same root file system as the image archives.
FROM scratch
ADD root.tar /
COPY operator.js /app/operator.js
COPY operator /app/operator
ENV PATH=/usr/local/bin:/usr/bin:/bin
ENV NODE_ENV=production
USER 65532:65532
ENTRYPOINT ["/usr/bin/node", "/app/operator.js"]
