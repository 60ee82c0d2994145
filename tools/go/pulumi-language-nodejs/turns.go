package main

import (
	"bytes"
	"io"
	"sync"
)

// turns sends messages of two writers over one stream, which takes only one message at a time.
type turns[T any] struct {
	lock   sync.Mutex
	sender func(T) error
}

func newTurns[T any](sender func(T) error) *turns[T] {
	return &turns[T]{sender: sender}
}

func (t *turns[T]) send(message T) error {
	t.lock.Lock()
	defer t.lock.Unlock()

	return t.sender(message)
}

func (t *turns[T]) writer(message func([]byte) T) io.Writer {
	return writer(func(text []byte) error { return t.send(message(bytes.Clone(text))) })
}

type writer func([]byte) error

func (w writer) Write(text []byte) (int, error) {
	return len(text), w(text)
}
