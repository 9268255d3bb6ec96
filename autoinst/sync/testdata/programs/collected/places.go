package main

// places does operations at many places, each once.
func places(o *operations) {
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
	o.m.Lock()
	o.m.Unlock()
	o.c <- 1
	<-o.c
	o.rw.RLock()
	o.rw.RUnlock()
	select {
	case <-o.d:
	case v := <-o.c:
		_ = v
	}
}
