package sluicegate

import (
	"crypto/rand"
	"crypto/tls"
	"log/slog"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// Version is this package's.
const Version = "0.1.0"

// messageBytesMax is the largest answer or frame that is taken: the most that the contract lets a client ask for.
const messageBytesMax = 64 << 20

// requestBytesMax is the largest request that a server takes. Repeats keep a copy of their request, up to this.
const requestBytesMax = 32 << 20

// serviceConfig repeats the one call that always has a request id, so that a repeat is safe, while a server comes back.
const serviceConfig = `{"methodConfig": [{
	"name": [{"service": "sluicegate.v1.JobService", "method": "BatchEnqueue"}],
	"retryPolicy": {
		"maxAttempts": 4,
		"initialBackoff": "0.1s",
		"maxBackoff": "1s",
		"backoffMultiplier": 2,
		"retryableStatusCodes": ["UNAVAILABLE"]
	}
}]}`

// Client talks to one server over one connection, which many goroutines may share; each stream of a worker has one of its own. It
// connects with the first call, and again whenever the connection is lost.
type Client struct {
	connection *grpc.ClientConn
	budgets    pb.BudgetServiceClient
	jobs       pb.JobServiceClient
	queues     pb.QueueServiceClient
	logger     *slog.Logger
	// dial opens another connection to the same server.
	dial func() (*grpc.ClientConn, error)
}

// Option changes how a [Client] connects.
type Option func(*options)

type options struct {
	credentials credentials.TransportCredentials
	logger      *slog.Logger
	dial        []grpc.DialOption
}

// WithTLS connects by TLS; nil means the system's roots and the address' host name. Off by default.
func WithTLS(config *tls.Config) Option {
	return func(o *options) { o.credentials = credentials.NewTLS(config) }
}

// WithLogger sets where workers say what happens to them; [slog.Default] by default. Payloads are never logged.
func WithLogger(logger *slog.Logger) Option {
	return func(o *options) { o.logger = logger }
}

// WithDialOptions adds options of gRPC's own, such as interceptors and stats handlers. They win over this package's.
func WithDialOptions(dial ...grpc.DialOption) Option {
	return func(o *options) { o.dial = append(o.dial, dial...) }
}

// New makes a client of the server at an address, such as 127.0.0.1:7654. It fails for an address that can't be one; whether
// a server is there shows with the first call.
func New(address string, opts ...Option) (*Client, error) {
	o := options{credentials: insecure.NewCredentials(), logger: slog.Default()}
	for _, option := range opts {
		option(&o)
	}
	dial := append([]grpc.DialOption{
		grpc.WithTransportCredentials(o.credentials),
		grpc.WithUserAgent("sluicegate-client-go/" + Version),
		grpc.WithDefaultServiceConfig(serviceConfig),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(messageBytesMax),
			grpc.MaxCallSendMsgSize(messageBytesMax),
			grpc.MaxRetryRPCBufferSize(requestBytesMax),
		),
		// Workers space their own attempts; the transport's may not be rarer.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second},
			MinConnectTimeout: 5 * time.Second,
		}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}),
	}, o.dial...)
	connect := func() (*grpc.ClientConn, error) { return grpc.NewClient(address, dial...) }
	connection, err := connect()
	if err != nil {
		return nil, refused("%q is no server's address: %v", address, err)
	}
	return &Client{
		connection: connection,
		budgets:    pb.NewBudgetServiceClient(connection),
		jobs:       pb.NewJobServiceClient(connection),
		queues:     pb.NewQueueServiceClient(connection),
		logger:     o.logger,
		dial:       connect,
	}, nil
}

// Close ends the connection, and with it all calls that still wait. Stop the workers first.
func (c *Client) Close() error { return c.connection.Close() }

// newRequestID is unlike any other (semantics 10.1: a repeat of a call with it returns the first answer).
func newRequestID() string { return rand.Text() }
