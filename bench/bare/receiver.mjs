// Plays Discord: webhooks below the number that it is given never answer. `GET /` answers how many messages came for the
// others, and how late each was, in ms after its event.
import { createServer } from 'node:http';

const hanging = Number(process.argv[2]);
let latencies = [];

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(latencies));
    latencies = [];
    return;
  }
  const webhook = Number(request.url.split('/')[3]);
  let body = '';
  request.setEncoding('utf8').on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    if (webhook < hanging) return;
    latencies.push(Date.now() - Date.parse(JSON.parse(body).embeds[0].timestamp));
    response.end('{}');
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
